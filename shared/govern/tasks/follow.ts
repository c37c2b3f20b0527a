// The task of an execution or an approval moves with it in the same transaction, and never lets that fail. So does the task whose
// completion requested an action. Most actions have no task, so the code that opens and moves one loads with the first that has.
import type { Context } from '../../base/context.ts'
import type { Following } from '../../base/table/entity.ts'
import type { Source } from './followed.ts'
import { type Followed, FOLLOWS } from './states.ts'

/** Part of a commit. A task that was never made, or is there already, has nothing to do. */
export const follow = (ctx: Context, id: string, to: Followed): Following => ({
  following: async () => (await import('./followed.ts')).followed(ctx, id, to),
})

/** The move of the task that a step of an execution causes, if it has a task. */
export function executionFollowed(ctx: Context, was: Source | undefined, next: Source): Following[] {
  if (next.task_id === undefined || was?.status === next.status) return []
  if (!isCommand(next)) {
    // The first move is in the transaction of the request, on the condition that nobody else requests at the same time.
    return was ? [{ following: async () => (await import('./followed.ts')).actionFollowed(ctx, next) }] : []
  }
  if (was) return [follow(ctx, next.task_id, FOLLOWS.execution[next.status])]
  return [{ following: async () => [(await import('./followed.ts')).agentTask(ctx, next)] }]
}

/** The execution of `/agent/execute` makes its task, whose id follows from its own. */
const isCommand = ({ id, task_id }: Source): boolean => task_id === id.replace('exe_', 'tsk_')
