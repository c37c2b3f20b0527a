import { beforeEach, describe, expect, test } from 'vitest'
import { handler } from '../../../../functions/workers/fan-out-webhook.ts'
import { fanOut } from '../../../../shared/deliver/webhooks/fan-out.ts'
import { verifyWebhookSignature } from '../../../../shared/deliver/webhooks/verify.ts'
import { handleBody, answers, received, Service, space, timesOut } from './service.ts'

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

const busMessage = (event: object, position: number, mode = 'live') =>
  JSON.stringify({ source: 'countersign.events', detail: { ...event, _position: position, _mode: mode } })

const anEndpoint = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

describe('an event', () => {
  test('is posted at once to every subscribed endpoint, signed with the endpoint’s secret', async () => {
    const endpoint = await it.endpoint({ secret: anEndpoint, headers: { Authorization: 'Bearer x' } })
    await it.endpoint({ events: ['policy.updated'] })
    const event = await it.event(1)

    await handleBody(busMessage(event, 1))

    expect(it.sent).toHaveLength(1)
    const { url, headers, body = '' } = it.lastSent()
    expect(url).toBe(endpoint.url)
    expect(headers).toMatchObject({
      Authorization: 'Bearer x',
      'x-webhook-attempt': '0',
      'x-webhook-event': event.type,
    })
    expect(JSON.parse(body)).toMatchObject(event)
    expect(verifyWebhookSignature({ headers, body }, anEndpoint, it.clock.now() / 1_000)).toBe(true)
    expect(it.deliveries()).toMatchObject([{ status: 'delivered', attempt: 0, event_position: 1, event_id: event.id }])
  })

  test('reaches no endpoint of another tenant or mode', async () => {
    await it.endpoint({}, { tenant_id: 'ten_2', mode: 'live' })
    await it.endpoint({}, { tenant_id: 'ten_1', mode: 'test' })

    await handleBody(busMessage(await it.event(1), 1))

    expect(it.sent).toEqual([])
  })

  test('that the bus hands over twice is delivered once', async () => {
    await it.endpoint()
    const message = busMessage(await it.event(1), 1)

    await handleBody(message)
    await handleBody(message)

    expect(it.sent).toHaveLength(1)
    expect(it.deliveries()).toHaveLength(1)
  })

  test('costs a healthy endpoint no write', async () => {
    const endpoint = await it.endpoint()

    await fanOut(it.ctx(), await it.event(1), 1)

    expect((await it.reread(endpoint))._v).toBe(endpoint._v)
  })
})

describe('a failed first attempt', () => {
  test('is recorded, and its retries are announced with ids only', async () => {
    const endpoint = await it.endpoint()
    it.answer = () => answers(503, { 'x-a': 'b' }, 'x'.repeat(10_000))

    await fanOut(it.ctx(), await it.event(1), 1)

    const [delivery] = it.deliveries()
    expect(delivery).toMatchObject({ status: 'retrying', attempt: 0, last: { status_code: 503 } })
    expect(it.bus).toEqual([
      {
        source: 'countersign.internal',
        type: 'webhook.delivery.retry',
        detail: {
          delivery: { ...space, delivery_id: delivery?.id, endpoint_id: endpoint.id },
          state: { outcome: 'failed', attempt: 0, wait_seconds: 60 },
        },
      },
    ])
    const record = it.table.item('countersign', { pk: `T#ten_1#live#DELIVERY#${delivery?.id}`, sk: 'ATT#0' })
    expect(record).toMatchObject({ status_code: { N: '503' }, response_headers: { M: { 'x-a': { S: 'b' } } } })
    expect(record?.response_body?.S).toHaveLength(4_096)
  })

  test.each([199, 301, 308, 400, 404, 429, 500])('is one that was answered with %i', async (status) => {
    await it.endpoint()
    it.answer = () => answers(status)

    await fanOut(it.ctx(), await it.event(1), 1)

    expect(it.deliveries()).toMatchObject([{ status: 'retrying' }])
  })

  test('is not made again when the bus refused the announcement, but announced again', async () => {
    await it.endpoint()
    it.answer = () => timesOut
    it.busRefuses = () => true
    const message = busMessage(await it.event(1), 1)

    await expect(handleBody(message)).rejects.toThrow('bus')
    it.busRefuses = () => false
    await handleBody(message)

    expect(it.sent).toHaveLength(1)
    expect(it.bus).toHaveLength(1)
  })

  test('carries the wait that the receiver asked for', async () => {
    await it.endpoint()
    it.answer = () => answers(429, { 'retry-after': '90' })

    await fanOut(it.ctx(), await it.event(1), 1)

    expect(it.bus[0]?.detail).toMatchObject({ state: { attempt: 0, wait_seconds: 90 } })
  })
})

describe('two workers with the same event', () => {
  test('make one POST: the second comes back later', async () => {
    await it.endpoint()
    const event = await it.event(1)
    it.answer = async () => {
      await expect(fanOut(it.ctx(), event, 1)).rejects.toThrow('another worker')
      return answers(200)
    }

    await fanOut(it.ctx(), event, 1)

    expect(it.sent).toHaveLength(1)
  })

  test('make the attempt after all when the first of them died', async () => {
    await it.endpoint()
    const event = await it.event(1)
    it.answer = () => {
      throw new Error('killed')
    }
    await expect(fanOut(it.ctx(), event, 1)).rejects.toThrow('killed')
    it.answer = () => answers(200)
    it.clock.moveTo(it.clock.now() + 180_000)

    await fanOut(it.ctx(), event, 1)

    expect(it.deliveries()).toMatchObject([{ status: 'delivered' }])
  })
})

describe('an endpoint in error', () => {
  test('gets one POST for each event and no retries', async () => {
    const endpoint = await it.endpoint()
    await it.setHealth(endpoint, { status: 'error', consecutive_failed: 5 })
    it.answer = () => answers(500)

    await fanOut(it.ctx(), await it.event(1), 1)

    expect(it.deliveries()).toMatchObject([{ status: 'failed', failure_reason: 'endpoint_error', attempt: 0 }])
    expect(it.bus).toEqual([])
    expect(await it.reread(endpoint)).toMatchObject({ status: 'error', consecutive_failed: 5 })
  })

  test('is healed by a 2xx, which is reported', async () => {
    const endpoint = await it.endpoint()
    await it.setHealth(endpoint, { status: 'error', consecutive_failed: 5 })

    await fanOut(it.ctx(), await it.event(1), 1)

    expect(await it.reread(endpoint)).toMatchObject({ status: 'active', consecutive_failed: 0 })
    expect(it.committed().slice(-2)).toEqual(['evidence.emitted', 'webhook.endpoint.recovered'])
  })
})

describe('a receiver', () => {
  test.each([
    ['410', answers(410), 'gone'],
    ['webhook-delivery: disable', answers(500, { 'webhook-delivery': 'disable' }), 'receiver_request'],
  ])('that answers %s ends the delivery and its endpoint', async (_, outcome, reason) => {
    const endpoint = await it.endpoint()
    it.answer = () => outcome

    await fanOut(it.ctx(), await it.event(1), 1)

    expect(it.deliveries()).toMatchObject([{ status: 'failed', failure_reason: reason }])
    expect(await it.reread(endpoint)).toMatchObject({ status: 'disabled', disabled_reason: reason })
    expect(it.committed().at(-1)).toBe('webhook.endpoint.disabled')
    expect(it.bus).toEqual([])
  })

  test('may end one delivery only', async () => {
    const endpoint = await it.endpoint()
    it.answer = () => answers(500, { 'webhook-delivery': 'abort-message' })

    await fanOut(it.ctx(), await it.event(1), 1)

    expect(it.deliveries()).toMatchObject([{ status: 'failed', failure_reason: 'receiver_request' }])
    expect((await it.reread(endpoint)).status).toBe('active')
  })
})

test('a message that cannot be read comes back, and only that one', async () => {
  await it.endpoint()
  const good = busMessage(await it.event(1), 1)

  const { batchItemFailures } = await handler({
    Records: [received('nonsense', 'a'), received(good, 'b')],
  })

  expect(batchItemFailures).toEqual([{ itemIdentifier: 'a' }])
  expect(it.sent).toHaveLength(1)
})

test('events of one batch share one look at their tenant’s endpoints', async () => {
  await it.endpoint()
  const bodies = [busMessage(await it.event(1), 1), busMessage(await it.event(2), 2)]
  let looks = 0
  it.table.hooks.before = ({ name }) => name === 'Query' && (looks += 1)

  await handler({ Records: bodies.map((body, index) => received(body, String(index))) })

  expect(it.sent).toHaveLength(2)
  expect(looks).toBe(1)
})

test('the first attempt can be left to the schedule', async () => {
  await it.endpoint()
  process.env.WEBHOOK_FIRST_ATTEMPT = 'scheduled'

  await fanOut(it.ctx(), await it.event(1), 1)
  delete process.env.WEBHOOK_FIRST_ATTEMPT

  expect(it.sent).toEqual([])
  expect(it.bus[0]?.detail).toMatchObject({ state: { outcome: 'failed', attempt: 0 } })
})
