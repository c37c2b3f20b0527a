import { iso } from '../../base/lib/clock.ts'
import type { FactAsk, OldestFact } from '../../base/ports/facts.ts'
import { daysInEffect, retentions } from '../../base/tenant/retention.ts'
import { tenants } from '../../base/tenant/tenant.ts'
import { nextPage } from './next-page.ts'
import { removableAt } from './rules.ts'

/** Of the oldest executions of all, and of those that the removal reads next: payloads that should be gone. */
export async function oldest_payloads({ ctx, now }: FactAsk): Promise<OldestFact[]> {
  const { table, space } = ctx
  const [tenant, was] = await Promise.all([table.get(tenants, { id: space.tenant_id }), table.get(retentions, space)])
  if (!tenant || !was) return []
  const days = daysInEffect(was, now)
  const since = was.grace?.until ?? tenant.created_at // those of before a shorter time begin to go then
  const first = { month: tenant.created_at.slice(0, 7), after: [] }
  const pages = await Promise.all([first, was].map((place) => nextPage(ctx, place, { days, perShard: 1, months: 12 })))
  const found = new Map(pages.flatMap((page) => page?.found ?? []).map((execution) => [execution.id, execution]))
  return [...found.values()].flatMap((execution) => {
    const until = removableAt(execution, days, now)
    return until === undefined ? [] : [{ id: execution.id, until: iso(Math.max(until, Date.parse(since))) }]
  })
}
