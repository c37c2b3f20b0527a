// Creates a task by hand.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid } from '../../base/lib/failure.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { approvals } from '../../govern/approvals/approval.ts'
import { openApprovalTask } from '../../govern/approvals/approval-task.ts'
import { storedTexts } from '../../govern/governance/pii/stored-text.ts'
import { assignTo, openTask } from '../../govern/tasks/open-task.ts'
import { commitTask, type TaskParts } from '../../govern/tasks/store-task.ts'
import { type Task, tasks } from '../../govern/tasks/task.ts'
import type { TaskBody } from './task-view.ts'

/** A request of a data subject is answered within a month (GDPR, Article 12). */
const DSR_DUE_MS = 30 * 86_400_000

/**
 * Stores the task, assigned to the named assignee or to the worker who fits. Throws 422 for a parent, source or assignee that does
 * not exist, 409 for a second task of an approval. A task of an approval takes its tier from the approval, not from the body.
 */
export async function createTask(ctx: Context, body: TaskBody): Promise<Stored<Task>> {
  const { parent_id } = body
  if (parent_id !== undefined && !(await ctx.table.get(tasks, { ...ctx.space, id: parent_id })))
    throw invalid(['parent_id'], 'no such task')
  return retryWhenChanged(async () => {
    const parts = await drafted(ctx, body)
    return commitTask(ctx, parts, { ref: parts.task.id })
  })
}

async function drafted(ctx: Context, { kind, source, assignee, ...body }: TaskBody): Promise<TaskParts> {
  const held = await approvalOf(ctx, kind, source)
  const { title, description, checklist, labels } = body
  const draft = {
    ...body,
    ...(await storedTexts(ctx, { title, description, checklist, labels })),
    due_at: body.due_at ?? (kind === 'dsr' ? iso(ctx.now() + DSR_DUE_MS) : undefined),
    assigned: assignee === undefined ? undefined : await assignTo(ctx, assignee, { kind, tier: held?.tier }),
  }
  return held ? openApprovalTask(ctx, held, draft) : openTask(ctx, { ...draft, kind, source })
}

/** Only a task that decides on an approval follows one, and no execution is followed by a task that people make. */
async function approvalOf(ctx: Context, kind: TaskBody['kind'], source: TaskBody['source']) {
  if (source?.type === 'execution')
    throw invalid(['source', 'type'], 'must not be execution: POST /agent/execute makes tasks of those')
  if ((kind === 'approval') !== (source?.type === 'approval'))
    throw invalid(['source'], 'must be an approval for tasks of kind approval, and only for those')
  if (kind !== 'approval') return undefined
  const held = await ctx.table.get(approvals, { ...ctx.space, id: source?.id ?? '' })
  if (!held) throw invalid(['source', 'id'], 'no such approval')
  return held
}
