// The task of an execution or an approval goes where its source goes, in the same transaction, and never stands in its way.
// The task whose completion requested an action goes where the action goes, in the same way.
// Most actions have no task, so what makes and moves one is loaded with the first that has.
import type { Context } from '../../base/context.ts'
import type { Following } from '../../base/table/entity.ts'
import type { Source } from './followed.ts'
import { type Followed, FOLLOWS } from './states.ts'

/** Part of a commit. A task that was never made, or is there already, has nothing to do. */
export const follow = (ctx: Context, id: string, to: Followed): Following => ({
  following: async () => (await import('./followed.ts')).followed(ctx, id, to),
})

/** What a step of an execution does to its task, if it has one. */
export function executionFollowed(ctx: Context, was: Source | undefined, next: Source): Following[] {
  if (next.task_id === undefined || was?.status === next.status) return []
  if (!isCommand(next)) {
    // The transaction of the request holds the first move, on the condition that nobody else asks at the same time.
    return was ? [{ following: async () => (await import('./followed.ts')).actionFollowed(ctx, next) }] : []
  }
  if (was) return [follow(ctx, next.task_id, FOLLOWS.execution[next.status])]
  return [{ following: async () => [(await import('./followed.ts')).agentTask(ctx, next)] }]
}

/** The execution of `/agent/execute` makes its task, whose id follows from its own. */
const isCommand = ({ id, task_id }: Source): boolean => task_id === id.replace('exe_', 'tsk_')
