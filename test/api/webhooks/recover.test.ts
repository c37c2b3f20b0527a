import { beforeEach, describe, expect, test } from 'vitest'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const local = useLocalStack()
let acme: TestTenant
let receiver: Receiver
let since: string
beforeEach(async () => {
  acme = await local.tenant()
  receiver = await startReceiver()
  since = iso(local.clock.now())
  return () => receiver.stop()
})

async function sink(): Promise<string> {
  const body = { name: 'Sink', url: receiver.url, events: ['evidence.emitted'] }
  const { body: endpoint } = await acme.call(webhooks.create, { body })
  await local.drain()
  return endpoint.id
}

const change = (id: string, body: object) => acme.call(webhooks.update, { params: { id }, body })
const recover = (id: string, body: object = {}) =>
  acme.call(webhooks.recover, { params: { id }, body: { since, ...body } })

/** Two changes of the endpoint that it never hears of, because it is disabled; then it is active again. */
async function missTwo(id: string): Promise<void> {
  await change(id, { status: 'disabled' })
  await local.drain()
  await change(id, { status: 'active' })
  await local.drain()
  receiver.received.length = 0
}

describe('POST /api/webhooks/{id}/recover', () => {
  test('202: what was missed while the endpoint was disabled arrives after all', async () => {
    const id = await sink()
    await missTwo(id)
    const { body: counted } = await recover(id, { dry_run: true })

    const reply = await recover(id)
    await local.drain()

    expect(reply).toMatchObject({ status: 202, body: { recover_id: expect.any(String) } })
    expect(counted.matched).toBeGreaterThan(0)
    const { recover_id, matched } = reply.body
    const query = { recover_id, status: 'delivered' }
    const { body: made } = await acme.call(webhooks.deliveries, { params: { id }, query })
    expect(made.total).toBe(matched)
    expect((await recover(id, { dry_run: true, until: made.items.at(-1).created_at })).body).toEqual({ matched: 0 })
  })

  test('202: a repeat with the same Idempotency-Key is the same recovery', async () => {
    const id = await sink()
    await missTwo(id)
    const request = { params: { id }, body: { since }, headers: { 'idempotency-key': 'once' } }

    const [first, again] = [await acme.call(webhooks.recover, request), await acme.call(webhooks.recover, request)]

    expect(first).toMatchObject({ status: 202, body: { recover_id: expect.any(String) } })
    expect(again).toMatchObject({ status: 202, body: first.body, headers: { 'idempotent-replayed': 'true' } })
  })

  test('200: a dry run counts and sends nothing', async () => {
    const id = await sink()
    await missTwo(id)

    const reply = await recover(id, { dry_run: true })
    await local.drain()

    expect(reply).toMatchObject({ status: 200, body: { matched: expect.any(Number) } })
    expect(reply.body).not.toHaveProperty('recover_id')
    expect(receiver.received).toEqual([])
  })

  test('400: names the missing field', async () => {
    const id = await sink()

    expect(await acme.call(webhooks.recover, { params: { id }, body: {} })).toMatchObject({
      status: 400,
      body: { detail: 'You left out required fields: since. Send them.' },
    })
  })

  test.each([
    ['a window of more than 14 days', { since: '2026-01-01T00:00:00Z', until: '2026-01-15T00:00:00.001Z' }, ['since']],
    [
      'a window that ends before it begins',
      { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' },
      ['since'],
    ],
    ['what is no instant', { since: 'yesterday' }, ['since']],
    ['an unknown event type', { types: ['evidence.emitted', 'action.*'] }, ['types', 1]],
    ['no event type', { types: [] }, ['types']],
  ])('422: refuses %s', async (_, body, loc) => {
    const id = await sink()

    expect(await recover(id, body)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', ...loc] }] } })
  })

  test('409: of a disabled endpoint', async () => {
    const id = await sink()
    await change(id, { status: 'disabled' })

    expect(await recover(id)).toMatchObject({ status: 409 })
  })

  test('404: another tenant’s endpoint', async () => {
    const id = await sink()
    const other = await local.tenant()

    expect(await other.call(webhooks.recover, { params: { id }, body: { since } })).toMatchObject({ status: 404 })
  })
})
