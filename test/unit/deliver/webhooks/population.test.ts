import { expect, test } from 'vitest'
import type { Row } from '../../../../shared/assure/populations/population.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { deliveries, type Delivery } from '../../../../shared/deliver/webhooks/delivery.ts'
import { newDelivery } from '../../../../shared/deliver/webhooks/delivery-rules.ts'
import { failedDeliveries } from '../../../../shared/deliver/webhooks/population.ts'
import { Service, space } from './service.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 9, 1)
const WINDOW = { start_at: iso(START), end_at: iso(START + 30 * DAY) }

test('failed deliveries are those of the window that were given up, by endpoint, without an address', async () => {
  const it = new Service()
  await it.start()
  const [one, other] = [await it.endpoint(), await it.endpoint({ url: 'https://8.8.8.8/other' })]
  const ctx = it.ctx()
  const made = (endpoint_id: string, at: number, over: Partial<Delivery> = {}) => {
    const event = { id: ctx.id('evt'), type: 'action.approved' as const }
    const failed = { status: 'failed' as const, failure_reason: 'exhausted' as const, attempt: 7 }
    return { ...newDelivery(space, { event, position: 1, endpoint_id }, at), ...failed, ...over }
  }
  const all = [
    made(one.id, START + DAY, { last: { at: iso(START + DAY), status_code: 503, latency_ms: 4 } }),
    made(one.id, START + DAY, { status: 'delivered' }),
    made(other.id, START),
    made(one.id, START - 1),
    made(one.id, START + 30 * DAY),
  ]
  await ctx.table.commit(all.map((delivery) => deliveries.insert(delivery)))

  const rows: Row[] = []
  for await (const page of failedDeliveries.rows(ctx, WINDOW)) rows.push(...page)

  expect(new Map(rows.map(({ id, ...rest }) => [id, rest]))).toEqual(
    new Map([
      [all[0]?.id, expect.objectContaining({ endpoint_id: one.id, attempts: 8, last_status_code: 503 })],
      [all[2]?.id, expect.objectContaining({ endpoint_id: other.id, failure_reason: 'exhausted' })],
    ]),
  )
  expect(JSON.stringify(rows)).not.toContain('8.8.8.8')
})
