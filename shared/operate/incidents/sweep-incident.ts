// What falls due of an incident: the rest of a change that a crash cut short, and the end of the 72 hours of a breach.
import type { Context } from '../../base/context.ts'
import { retryWhenOvertaken } from '../../base/table/retry.ts'
import { digest, type EventDraft } from '../../ledger/events/event.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { finishIncident } from './finish-incident.ts'
import { breachEnd, type Incident, incidents } from './incident.ts'
import { commitIncident, entry } from './store-incident.ts'

export async function sweepIncident(ctx: Context, id: string): Promise<void> {
  const found = await ctx.table.get(incidents, { ...ctx.space, id })
  if (found?.unfinished) await finishIncident(ctx, id)
  await retryWhenOvertaken(() => reportOverrun(ctx, id))
}

/** Once for each incident, also where two sweepers come at the same time. */
async function reportOverrun(ctx: Context, id: string): Promise<void> {
  const was = await ctx.table.get(incidents, { ...ctx.space, id })
  if (!was || !isOverrun(was, ctx.now())) return
  const artifact = newArtifact(ctx, {
    type: 'compliance.violation.opened',
    subject: { type: 'incident', id },
    data: { check_id: CHECK },
  })
  const event: EventDraft = {
    type: 'compliance.violation.detected',
    subject: { id, version: 1 },
    data: {
      violation_id: `vio_${digest(`${ctx.space.tenant_id}#${ctx.space.mode}#${CHECK}#${id}`)}`,
      check_id: CHECK,
      severity: 'critical',
      framework_ids: ['gdpr'],
      control_ids: ['Art. 33'],
      failing_ids: [id],
      task_id: was.breach_task_id ?? null,
    },
  }
  const entries = [entry(ctx, 'breach', { note: 'The 72 hours ended and the authority was not notified.' })]
  const transitions = [{ artifact, events: [event] }]
  await commitIncident(ctx, was, { ...was, breach_overrun: true }, { entries, transitions })
}

/** The check that a late notification fails. */
const CHECK = 'PRV-04'

const isOverrun = (
  { personal_data_breach, notified_at, breach_overrun, detected_at }: Incident,
  now: number,
): boolean =>
  personal_data_breach && notified_at === undefined && !breach_overrun && Date.parse(breachEnd(detected_at)) <= now
