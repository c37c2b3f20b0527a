import { beforeEach, describe, expect, test } from 'vitest'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const local = useLocalStack()
let acme: TestTenant
let receiver: Receiver
beforeEach(async () => {
  acme = await local.tenant()
  receiver = await startReceiver()
  return () => receiver.stop()
})

async function sink(): Promise<string> {
  const body = { name: 'Sink', url: receiver.url, events: ['policy.updated'] }
  return (await acme.call(webhooks.create, { body })).body.id
}

/** One delivery that ends at once, with this status of the receiver. */
async function deliver(id: string, status: number): Promise<void> {
  receiver.status = status
  await acme.call(webhooks.test, { params: { id }, body: {} })
}

const stats = (id: string, query = {}) => acme.call(webhooks.stats, { params: { id }, query })
const NOTHING = { pending: 0, retrying: 0, delivered: 0, failed: 0 }

describe('GET /api/webhooks/{id}/stats', () => {
  test('200: counts what ended how, and how fast it was answered', async () => {
    const id = await sink()
    for (const status of [204, 204, 500]) await deliver(id, status)

    const reply = await stats(id)

    expect(reply).toMatchObject({
      status: 200,
      body: {
        window: '24h',
        complete: true,
        counts: { ...NOTHING, delivered: 2, failed: 1 },
        success_percent: 66.7,
        latency_ms: { p50: expect.any(Number), p95: expect.any(Number) },
      },
    })
  })

  test('200: an endpoint without deliveries has no share and no latency', async () => {
    const { body } = await stats(await sink())

    expect(body).toMatchObject({ counts: NOTHING, success_percent: null, latency_ms: null })
  })

  test('200: looks back as far as the window says', async () => {
    const id = await sink()
    await deliver(id, 204)
    await local.advance(2 * 3_600_000)
    await deliver(id, 500)

    expect((await stats(id, { window: '1h' })).body.counts).toEqual({ ...NOTHING, failed: 1 })
    expect((await stats(id, { window: '7d' })).body.counts).toEqual({ ...NOTHING, delivered: 1, failed: 1 })
  })

  test('200: of a deleted endpoint, as long as its log is kept', async () => {
    const id = await sink()
    await deliver(id, 204)
    await acme.call(webhooks.delete, { params: { id } })

    expect((await stats(id)).body.counts.delivered).toBe(1)
  })

  test('400: an unknown window', async () => {
    expect(await stats(await sink(), { window: '2h' })).toMatchObject({ status: 400 })
  })

  test('404: another tenant’s endpoint', async () => {
    const id = await sink()
    const other = await local.tenant()

    expect(await other.call(webhooks.stats, { params: { id } })).toMatchObject({ status: 404 })
  })
})
