import { beforeEach, describe, expect, test } from 'vitest'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { endpoints } from '../../../shared/deliver/webhooks/endpoints/endpoint.ts'
import { verifyStandardWebhook, verifyWebhookSignature } from '../../../shared/deliver/webhooks/verify.ts'
import { alarms, tamper } from '../../support/insider.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const local = useLocalStack()
let acme: TestTenant
let receiver: Receiver
const ATTEMPTS = ['0', '1', '2', '3', '4', '5', '6', '7']

beforeEach(async () => {
  acme = await local.tenant()
  receiver = await startReceiver()
  return () => receiver.stop()
})

type Endpoint = { id: string; secret: string }

/** Registered and told of its own registration, which the test then forgets. */
async function sink(change: object = {}): Promise<Endpoint> {
  const body = { name: 'Sink', url: receiver.url, events: ['evidence.emitted'], ...change }
  const { body: endpoint } = await acme.call(webhooks.create, { body })
  await local.drain()
  receiver.received.length = 0
  return endpoint
}

/** Anything that leaves an artifact, and so emits an event. */
const cause = async ({ id }: Endpoint) => {
  await acme.call(webhooks.update, { params: { id }, body: { description: 'changed' } })
  await local.drain()
}

const deliveriesOf = async ({ id }: Endpoint, query = {}) =>
  (await acme.call(webhooks.deliveries, { params: { id }, query })).body

describe('a committed event', () => {
  test('reaches its receiver, verified with the endpoint’s secret', async () => {
    const endpoint = await sink()

    await cause(endpoint)

    expect(receiver.received).toHaveLength(1)
    const { headers, body, event } = receiver.last()
    expect(event).toMatchObject({ type: 'evidence.emitted', tenant_id: acme.tenant_id })
    expect(verifyWebhookSignature({ headers, body }, endpoint.secret, local.clock.now() / 1_000)).toBe(true)
    expect(verifyStandardWebhook({ headers, body }, endpoint.secret, local.clock.now() / 1_000)).toBe(true)
  })

  test('is retried on the published schedule and then fails, visibly', async () => {
    const endpoint = await sink()
    receiver.status = 503

    await cause(endpoint)
    expect((await deliveriesOf(endpoint)).items[0]).toMatchObject({ status: 'retrying', attempt: 0 })
    await local.advance(2_000_000)

    expect(receiver.received.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(ATTEMPTS)
    expect((await deliveriesOf(endpoint)).items[0]).toMatchObject({
      status: 'failed',
      attempt: 7,
      failure_reason: 'exhausted',
      last: { status_code: 503 },
    })
  })

  test('does not reach an endpoint that was disabled meanwhile', async () => {
    const endpoint = await sink()
    receiver.status = 503
    await cause(endpoint)

    await acme.call(webhooks.update, { params: { id: endpoint.id }, body: { status: 'disabled' } })
    await local.advance(2_000_000)

    expect(receiver.received).toHaveLength(1)
  })

  test.each([
    ['another address', () => ({ url: `${receiver.url}/elsewhere` })],
    ['other events', () => ({ events: ['*'], filter: {} })],
  ])('reaches nobody by an endpoint that was given %s in the table, not even by a retry', async (_, forged) => {
    const endpoint = await sink()
    receiver.status = 503
    await cause(endpoint)
    expect(receiver.received).toHaveLength(1)
    const raised = alarms()
    await tamper(endpoints.key({ tenant_id: acme.tenant_id, mode: 'live', id: endpoint.id }), forged())
    coldStart()

    await acme.call(webhooks.create, { body: { name: 'Other', url: receiver.url, events: ['key.expiring'] } })
    await local.advance(2_000_000)

    expect(receiver.received).toHaveLength(1)
    expect(raised).toContain('row_forged')
    expect(await acme.call(webhooks.get, { params: { id: endpoint.id } })).toMatchObject({ status: 404 })
  })

  test('stays finite for a failing endpoint that subscribes to everything', async () => {
    const endpoint = await sink({ events: ['*'] })
    receiver.status = 500
    for (let count = 0; count < 5; count += 1) await cause(endpoint)
    await local.advance(20_000_000)

    const { body } = await acme.call(webhooks.get, { params: { id: endpoint.id } })
    expect(body).toMatchObject({ status: 'error', consecutive_failed: 5 })
    const types = receiver.received.map(({ event }) => event.type)
    expect(types).not.toContain('webhook.endpoint.error')
    const { total } = await deliveriesOf(endpoint)
    await local.advance(20_000_000)
    expect((await deliveriesOf(endpoint)).total).toBe(total)
  })
})

describe('GET /api/webhooks/{id}/deliveries', () => {
  test('200: filters by status, type and time', async () => {
    const endpoint = await sink()
    await cause(endpoint)
    receiver.status = 500
    await cause(endpoint)
    const [failing, delivered] = (await deliveriesOf(endpoint)).items

    expect((await deliveriesOf(endpoint, { status: 'delivered' })).items).toContainEqual(delivered)
    expect((await deliveriesOf(endpoint, { status: 'retrying' })).items).toEqual([failing])
    expect((await deliveriesOf(endpoint, { type: 'policy.updated' })).items).toEqual([])
    expect((await deliveriesOf(endpoint, { event_id: failing.event_id })).items).toEqual([failing])
    expect((await deliveriesOf(endpoint, { start_at: failing.created_at })).items).toEqual([failing])
    expect((await deliveriesOf(endpoint, { end_at: delivered.created_at })).items).not.toContainEqual(failing)
  })

  test('200: the log of a deleted endpoint stays', async () => {
    const endpoint = await sink()
    await cause(endpoint)
    await acme.call(webhooks.delete, { params: { id: endpoint.id } })

    expect((await deliveriesOf(endpoint)).total).toBeGreaterThan(0)
  })

  test('400: an unknown status or type is refused', async () => {
    const { id } = await sink()
    const status = async (query: Record<string, string>) =>
      (await acme.call(webhooks.deliveries, { params: { id }, query })).status

    expect(await status({ status: 'lost' })).toBe(400)
    expect(await status({ type: 'action.*' })).toBe(400)
  })

  test('404: an endpoint that never was', async () => {
    expect(await acme.call(webhooks.deliveries, { params: { id: 'whe_none' } })).toMatchObject({ status: 404 })
  })
})

describe('GET /api/webhooks/deliveries/{id}', () => {
  test('200: shows what was sent and every attempt', async () => {
    const endpoint = await sink()
    receiver.status = 500
    await cause(endpoint)
    receiver.status = 204
    await local.advance(60_000)
    const [{ id }] = (await deliveriesOf(endpoint)).items

    const { body } = await acme.call(webhooks.getDelivery, { params: { id } })

    expect(body).toMatchObject({ status: 'delivered', attempt: 1, body: { type: 'evidence.emitted' } })
    expect(body.attempts).toMatchObject([
      { n: 0, status_code: 500 },
      { n: 1, status_code: 204 },
    ])
    expect(body).not.toHaveProperty('exec')
  })

  test('404: another tenant’s delivery', async () => {
    const endpoint = await sink()
    await cause(endpoint)
    const [{ id }] = (await deliveriesOf(endpoint)).items
    const other = await local.tenant()

    expect(await other.call(webhooks.getDelivery, { params: { id } })).toMatchObject({ status: 404 })
  })
})

describe('POST /api/webhooks/replay', () => {
  test('202: the same event is delivered again, as another delivery', async () => {
    const endpoint = await sink()
    await cause(endpoint)
    const [original] = (await deliveriesOf(endpoint)).items

    const reply = await acme.call(webhooks.replay, { body: { delivery_id: original.id } })
    await local.drain()

    expect(reply).toMatchObject({ status: 202, body: { replay_of: original.id, event_id: original.event_id } })
    const again = receiver.received.filter(({ event }) => event.id === original.event_id)
    expect(again).toHaveLength(2)
    expect(again[0]?.event.data).toEqual(again[1]?.event.data)
    const { body } = await acme.call(webhooks.getDelivery, { params: { id: original.id } })
    expect(body.replayed_as).toBe(reply.body.delivery_id)
  })

  test('202: to another endpoint, whatever that one subscribes to', async () => {
    const endpoint = await sink()
    await cause(endpoint)
    const [original] = (await deliveriesOf(endpoint)).items
    const other = await sink({ events: ['policy.updated'] })

    await acme.call(webhooks.replay, { body: { delivery_id: original.id, endpoint_id: other.id } })
    await local.drain()

    expect((await deliveriesOf(other)).items).toMatchObject([{ status: 'delivered', replay_of: original.id }])
  })

  test('409: to a disabled endpoint', async () => {
    const endpoint = await sink()
    await cause(endpoint)
    const [original] = (await deliveriesOf(endpoint)).items
    await acme.call(webhooks.update, { params: { id: endpoint.id }, body: { status: 'disabled' } })

    expect(await acme.call(webhooks.replay, { body: { delivery_id: original.id } })).toMatchObject({ status: 409 })
  })

  test('409: of a test', async () => {
    const { id } = await sink()
    const { body } = await acme.call(webhooks.test, { params: { id }, body: {} })

    expect(await acme.call(webhooks.replay, { body: { delivery_id: body.delivery_id } })).toMatchObject({
      status: 409,
      body: { detail: 'You cannot replay a test delivery. Send another test.' },
    })
  })

  test('404: of an unknown delivery', async () => {
    expect(await acme.call(webhooks.replay, { body: { delivery_id: 'dlv_none' } })).toMatchObject({ status: 404 })
  })
})

describe('POST /api/webhooks/{id}/test', () => {
  test('200: sends the example once, as this tenant', async () => {
    const { id } = await sink()
    const reply = await acme.call(webhooks.test, { params: { id }, body: {} })

    expect(reply).toMatchObject({ status: 200, body: { delivered: true, status_code: 204 } })
    expect(receiver.received[0]?.event).toMatchObject({
      id: expect.stringMatching(/^evt_test_/),
      type: 'action.approved',
      tenant_id: acme.tenant_id,
    })
    const { body } = await acme.call(webhooks.getDelivery, { params: { id: reply.body.delivery_id } })
    expect(body).toMatchObject({ status: 'delivered', body: { type: 'action.approved' } })
  })

  test('200: a failure is reported, not retried and held against nobody', async () => {
    const { id } = await sink()
    receiver.status = 500
    const reply = await acme.call(webhooks.test, { params: { id }, body: { type: 'user.login' } })
    await local.advance(200_000)

    expect(reply.body).toMatchObject({ delivered: false, status_code: 500 })
    expect(receiver.received.filter(({ event }) => event.type === 'user.login')).toHaveLength(1)
    expect((await acme.call(webhooks.get, { params: { id } })).body).toMatchObject({ consecutive_failed: 0 })
  })

  test('422: an unknown type', async () => {
    const { id } = await sink()

    expect(await acme.call(webhooks.test, { params: { id }, body: { type: 'x' } })).toMatchObject({ status: 422 })
  })
})
