// What a space used, day by day, as far as metrics count it.
import { iso } from '../../base/lib/clock.ts'
import type { UsageRow, UsageRows } from '../../base/ports/rows.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { asOf, DAY } from './state.ts'
import { ratioOf } from './indicators.ts'
import { Counts, readPeriods } from './read-window.ts'

const floor = (at: number) => Math.floor(at / DAY) * DAY

/** From the day on which the tenant was made; the last day as far as it is counted. */
export const usageRows: UsageRows = async (ctx, { start_at, end_at }) => {
  const [tenant, counted] = await Promise.all([tenantOf(ctx.table, ctx.space.tenant_id), asOf(ctx)])
  const from = floor(Math.max(Date.parse(start_at), Date.parse(tenant.created_at)))
  const until = Math.min(Math.ceil(Date.parse(end_at) / DAY) * DAY, counted)
  if (until <= from) return []
  const days = new Map((await readPeriods(ctx, 'D', { from, until })).map(({ at, counts }) => [at, counts]))
  const dates = Array.from({ length: Math.ceil((until - from) / DAY) }, (_, day) => from + day * DAY)
  return dates.map((at) => ({
    date: iso(at).slice(0, 10),
    environment: ctx.space.mode,
    ...figuresOf(days.get(at) ?? new Counts()),
  }))
}

/** Targets need not report tokens, so none reported is not none used. */
const reported = (tokens: number): number | null => (tokens === 0 ? null : tokens)

const figuresOf = (counts: Counts): Omit<UsageRow, 'date' | 'environment'> => ({
  api_calls: ratioOf(counts, { metric: 'api_availability' }).total,
  executions: ratioOf(counts, { metric: 'execution_success' }).total,
  tokens_input: reported(counts.sum('t.input')),
  tokens_output: reported(counts.sum('t.output')),
  tokens_estimated: null,
  storage_bytes: null,
  webhook_deliveries: ratioOf(counts, { metric: 'webhook_delivery' }).total,
})
