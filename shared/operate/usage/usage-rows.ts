// What a space used, day by day: the very counters from which usage is shown and billed, so that an export and an invoice agree. Only
// deliveries are taken from the metrics, since nothing is billed by them.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { UsageRows } from '../../base/ports/rows.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { countedUntil } from '../../ledger/fold/fold.ts'
import { positionOf } from '../../ledger/fold/folder.ts'
import { dayKey, TOTAL, usagePartition, type UsageSums, usageSums } from '../../ledger/usage/usage-item.ts'
import { ratioOf } from '../metrics/indicators.ts'
import { Counts, readPeriods } from '../metrics/read-window.ts'
import { asOf } from '../metrics/state.ts'

const floor = (at: number) => Math.floor(at / DAY_MS) * DAY_MS
const dateOf = (at: number): string => iso(at).slice(0, 10)

/**
 * From the day on which the tenant was made; the last day as far as it is counted. Storage is what payloads, answers and copied records
 * held at the end of the day; files are listed without a history and are no part of it.
 */
export const usageRows: UsageRows = async (ctx, { start_at, end_at }) => {
  const [tenant, measured, folded] = await Promise.all([
    tenantOf(ctx.table, ctx.space.tenant_id),
    asOf(ctx),
    positionOf(ctx, 'usage'),
  ])
  const counted = Math.min(measured, await countedUntil(ctx, folded))
  const from = floor(Math.max(Date.parse(start_at), Date.parse(tenant.created_at)))
  const until = Math.min(Math.ceil(Date.parse(end_at) / DAY_MS) * DAY_MS, counted)
  if (until <= from) return []
  const newest = { pk: usagePartition(ctx.space), from: dayKey(dateOf(from)), to: dayKey('9999-12-31') }
  const [used, ever, periods] = await Promise.all([
    ctx.table.query(usageSums, newest),
    ctx.table.get(usageSums, { ...ctx.space, sk: TOTAL }),
    readPeriods(ctx, 'D', { from, until }),
  ])
  const days = new Map(used.map((day) => [day.sk, day]))
  const deliveries = new Map(periods.map(({ at, counts }) => [at, counts]))
  const dates = Array.from({ length: Math.ceil((until - from) / DAY_MS) }, (_, day) => from + day * DAY_MS)
  const after = (key: string) => used.reduce((sum, { sk, storage_bytes }) => sum + (sk > key ? storage_bytes : 0), 0)
  return dates.map((at) => {
    const key = dayKey(dateOf(at))
    return {
      date: dateOf(at),
      environment: ctx.space.mode,
      ...figuresOf(days.get(key)),
      storage_bytes: Math.max(0, (ever?.storage_bytes ?? 0) - after(key)),
      webhook_deliveries: ratioOf(deliveries.get(at) ?? new Counts(), { metric: 'webhook_delivery' }).total,
    }
  })
}

const figuresOf = (day: UsageSums | undefined) => ({
  api_calls: day?.requests ?? 0,
  executions: day?.executions ?? 0,
  tokens_input: day?.tokens_input ?? 0,
  tokens_output: day?.tokens_output ?? 0,
  tokens_estimated: day?.tokens_estimated ?? 0,
})
