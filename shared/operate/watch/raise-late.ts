// Raises the alert of work that takes too long, under the built-in rule `work-overdue`, which says whom to notify. The alert
// ends with the work.
import type { Context } from '../../base/context.ts'
import type { Late, Raised } from '../../base/ports/effects.ts'
import { approvals } from '../../govern/approvals/approval.ts'
import { hasEnded } from '../../govern/tasks/states.ts'
import { tasks } from '../../govern/tasks/task.ts'
import { type Alert, alerts, fingerprintOf, lastAlerts } from '../alerts/alert.ts'
import { WORK_OVERDUE } from '../alerts/built-in-rules.ts'
import { RULES } from '../alerts/rule.ts'
import { step } from '../alerts/states.ts'
import { builtInId } from '../definitions/definition.ts'
import { find } from '../definitions/definitions.ts'
import { alertStep } from './carry-out.ts'

const NOTHING: Raised = { writes: [], transitions: [], mails: [], finish: async () => undefined }

export async function raiseLate(ctx: Context, { labels, title, percent }: Late): Promise<Raised> {
  const { table, space } = ctx
  const rule = await find(ctx, RULES, builtInId('rul', space, WORK_OVERDUE))
  if (!rule.enabled) return NOTHING
  const fingerprint = fingerprintOf(rule.id, labels)
  const pointer = await table.get(lastAlerts, { ...space, fingerprint })
  const alert = pointer && (await table.get(alerts, { ...space, id: pointer.alert_id }))
  const at = ctx.now()
  const made = () => ({ ...space, id: ctx.id('alt'), rule_id: rule.id, fingerprint, title, labels })
  const look = { at, holds: true, value: percent, threshold: 100 }
  const after = step(rule, { since: undefined, last: alert }, look, made)
  const raised = await alertStep(ctx, rule, { known: { alert, pointer }, after, at })
  if (!raised) return NOTHING
  const { parts, more, finish } = raised
  return {
    writes: [...parts.writes, ...more.writes],
    transitions: [...parts.transitions, ...more.transitions],
    mails: more.mails,
    finish,
  }
}

/** Whether the work that an alert is about has not ended. */
export async function isStillLate({ table, space }: Context, { labels }: Alert): Promise<boolean> {
  const { task_id, approval_id } = labels
  if (approval_id !== undefined)
    return (await table.get(approvals, { ...space, id: approval_id }))?.status === 'pending'
  const task = task_id === undefined ? undefined : await table.get(tasks, { ...space, id: task_id })
  return task !== undefined && !hasEnded(task.status)
}
