// The task to decide on an approval. There is one at most: its id follows from that of the approval, which names it.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Approval, approvals } from './approval.ts'
import { openTask, type TaskDraft } from '../tasks/open-task.ts'
import type { TaskParts } from '../tasks/store-task.ts'

type Wanted = Partial<Omit<TaskDraft, 'id' | 'kind' | 'source' | 'tier' | 'except'>>

/**
 * The parts of a commit that opens the task and notes it in the approval. The task is never assigned by itself to a person who could
 * have requested the action. Throws 409 if the approval no longer waits or has a task already.
 */
export async function openApprovalTask(
  ctx: Context,
  approval: Stored<Approval>,
  { title, ...wanted }: Wanted = {},
  change: Partial<Approval> = {},
): Promise<TaskParts> {
  if (approval.status !== 'pending') throw conflict(`The approval is ${approval.status}; nothing is left to decide.`)
  if (approval.task_id !== undefined) throw conflict(`The approval has a task already: ${approval.task_id}.`)
  const id = approval.id.replace('apr_', 'tsk_')
  const parts = await openTask(ctx, {
    ...wanted,
    id,
    title: title ?? `Decide on ${approval.action_id} of ${approval.node_id}`,
    kind: 'approval',
    tier: approval.tier,
    source: { type: 'approval', id: approval.id },
    except: approval.persons,
  })
  const next: Approval = { ...approval, ...change, task_id: id }
  return { ...parts, writes: [...parts.writes, approvals.replace(next, approval, new ChangedMeanwhile())] }
}
