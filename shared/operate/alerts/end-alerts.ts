// Ends alerts whose rule is gone, or whose incident is over.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { type Alert, alerts, lastAlerts, lastAlertsKey } from './alert.ts'
import { isOpen, resolved } from './states.ts'
import { alertParts, commitAlert } from './store-alert.ts'

/** Resolves every open alert of these rules. Repeating it changes nothing. */
export async function resolveAlertsOf(ctx: Context, ruleIds: readonly string[]): Promise<void> {
  const last = await ctx.table.query(lastAlerts, { pk: lastAlertsKey(ctx.space) })
  const open = last.filter(({ rule_id, resolved_at }) => resolved_at === undefined && ruleIds.includes(rule_id))
  for (const { alert_id } of open) await endAlert(ctx, alert_id, 'deleted')
}

/** Without effect on one that is resolved or missing. */
export const endAlert = (ctx: Context, id: string, as: NonNullable<Alert['resolution']>): Promise<void> =>
  retryWhenOvertaken(async () => {
    const was = await ctx.table.get(alerts, { ...ctx.space, id })
    if (!isOpen(was)) return
    const pointer = await ctx.table.get(lastAlerts, was)
    const { alert, moved } = resolved(was, { now: iso(ctx.now()), by: ctx.principal.id, as })
    await commitAlert(ctx, alertParts(ctx, { alert: was, pointer }, alert, moved))
  })
