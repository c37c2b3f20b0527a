// The clock of a breach of personal data: a task for people, done when the authority was notified.
import type { Context } from '../../base/context.ts'
import { closeTask, type TaskParts } from '../../govern/tasks/store-task.ts'
import { openTask } from '../../govern/tasks/open-task.ts'
import { breachEnd, type Incident } from './incident.ts'

export const breachTask = (ctx: Context, { id, title, detected_at }: Incident): Promise<TaskParts> =>
  openTask(ctx, {
    title: `Notify the authority: ${title}`.slice(0, 200),
    description: 'A breach of personal data must be notified within 72 hours after it was noticed (GDPR, article 33).',
    kind: 'breach_notification',
    priority: 'urgent',
    due_at: breachEnd(detected_at),
    source: { type: 'incident', id },
  })

/** What a change of the breach's facts does to its task: opens it, completes it or cancels it. */
export async function followBreach(ctx: Context, was: Incident, next: Incident): Promise<TaskParts | undefined> {
  if (!was.personal_data_breach && next.personal_data_breach) {
    return next.notified_at === undefined ? breachTask(ctx, next) : undefined
  }
  if (was.breach_task_id === undefined) return undefined
  if (was.personal_data_breach && !next.personal_data_breach) {
    return closeTask(ctx, was.breach_task_id, { status: 'cancelled', resolution: 'no breach' })
  }
  const isNotified = was.notified_at === undefined && next.notified_at !== undefined
  return isNotified ? closeTask(ctx, was.breach_task_id, { status: 'completed', resolution: 'notified' }) : undefined
}
