// What falls due of an incident: the rest of a change that a crash cut short, and the end of the 72 hours of a breach.
import type { Context } from '../../base/context.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import { reportViolation } from '../../ledger/violations/violation.ts'
import { finishIncident } from './finish-incident.ts'
import { breachEnd, type Incident, incidents } from './incident.ts'
import { commitIncident, entry } from './store-incident.ts'

export async function sweepIncident(ctx: Context, id: string): Promise<void> {
  const found = await ctx.table.get(incidents, { ...ctx.space, id })
  if (found?.unfinished) await finishIncident(ctx, id)
  await retryWhenChanged(() => reportOverrun(ctx, id))
}

/** Once for each incident, also where two sweepers come at the same time. */
async function reportOverrun(ctx: Context, id: string): Promise<void> {
  const was = await ctx.table.get(incidents, { ...ctx.space, id })
  if (!was || !isOverrun(was, ctx.now())) return
  const violation = await reportViolation(ctx, {
    check_id: 'PRV-04',
    severity: 'critical',
    failing_ids: [id],
    ...(was.breach_task_id && { task_id: was.breach_task_id }),
  })
  const entries = [entry(ctx, 'breach', { note: 'The 72 hours ended and the authority was not notified.' })]
  await commitIncident(ctx, was, { ...was, breach_overrun: true }, { ...violation, entries })
}

const isOverrun = (
  { personal_data_breach, notified_at, breach_overrun, detected_at }: Incident,
  now: number,
): boolean =>
  personal_data_breach && notified_at === undefined && !breach_overrun && Date.parse(breachEnd(detected_at)) <= now
