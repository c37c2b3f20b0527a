// The task of an execution or an approval goes where its source goes, in the same transaction, and never stands in its way.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Following, Write } from '../../base/table/entity.ts'
import type { Execution } from '../executions/execution.ts'
import { moved } from './moved.ts'
import { newTask } from './new-task.ts'
import { type Followed, FOLLOWS } from './states.ts'
import { loadWrites } from './load.ts'
import { type Task, tasks } from './task.ts'

/** Part of a commit. A task that was never made, or is there already, has nothing to do. */
export const follow = (ctx: Context, id: string, to: Followed): Following => ({
  following: async () => {
    const was = await ctx.table.get(tasks, { ...ctx.space, id })
    const next = was && moved(was, to, ctx.now())
    return was && next && next !== was ? [tasks.replace(updated(ctx, next), was), ...loadWrites(was, next)] : []
  },
})

const updated = (ctx: Context, task: Task): Task => ({ ...task, updated_at: iso(ctx.now()) })

/** The task of an execution in its first transaction. The command stays sealed, so the title does not tell it. */
export function agentTask(ctx: Context, { id, task_id, agent_id, status, routing }: Execution): Write {
  const { tier }: Pick<Task, 'tier'> = JSON.parse(routing)
  const title = agent_id === undefined ? 'Command of an agent' : `Command of ${agent_id}`
  const draft = { title, kind: 'agent', tier, source: { type: 'execution', id } } as const
  const task = newTask(ctx, { ...draft, id: task_id ?? '' })
  return tasks.insert(moved(task, FOLLOWS.execution[status], ctx.now()))
}

/** What a step of an execution does to its task, if it has one. */
export function executionFollowed(ctx: Context, was: Execution | undefined, next: Execution): (Write | Following)[] {
  if (next.task_id === undefined || was?.status === next.status) return []
  return was ? [follow(ctx, next.task_id, FOLLOWS.execution[next.status])] : [agentTask(ctx, next)]
}
