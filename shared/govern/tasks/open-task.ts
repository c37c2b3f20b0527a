// How any area opens a task: a draft becomes the parts of its own commit.
import type { Context } from '../../base/context.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { type Assigned, NOBODY } from './assign.ts'
import { newTask, type TaskDraft } from './new-task.ts'
import { assignedTo, pickWorker } from './pick-worker.ts'
import { pin } from './pinned-action.ts'
import { taskParts, type TaskParts } from './store-task.ts'

/**
 * Commit the parts with those of whatever the task is about, inside `retryWhenOvertaken`: the worker who was picked may have
 * got too much to do meanwhile, which throws `Overtaken`.
 */
export async function openTask(ctx: Context, draft: TaskDraft): Promise<TaskParts> {
  const { assigned = await autoAssigned(ctx, draft) } = draft
  const parts = taskParts(ctx, undefined, newTask(ctx, draft, assigned), { full: assigned.full })
  const [created] = parts.transitions
  const of = { task_id: parts.task.id, artifact_id: created?.artifact.artifact_id ?? '' }
  const pinned = draft.action ? [pin(ctx.space, draft.action, of)] : []
  return { ...parts, writes: [...parts.writes, ...assigned.stays, ...pinned] }
}

async function autoAssigned(ctx: Context, draft: TaskDraft): Promise<Assigned> {
  const picked = await pickWorker(ctx, { ...draft, labels: draft.labels ?? [] })
  return picked ? { ...assignedTo(picked.worker), stays: picked.stays, full: new Overtaken() } : NOBODY
}
