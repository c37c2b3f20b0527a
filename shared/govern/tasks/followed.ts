import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Write } from '../../base/table/entity.ts'
import { afterAction, type Requested } from './after-action.ts'
import { loadWrites } from './load.ts'
import { moved } from './moved.ts'
import { newTask } from './new-task.ts'
import { noteWrite } from './note.ts'
import { type Followed, FOLLOWS } from './states.ts'
import { type Task, tasks } from './task.ts'

/** What a task follows of its execution. */
export type Source = Requested & {
  task_id?: string | undefined
  agent_id?: string | undefined
  /** JSON. */
  routing: string
}

/** The move of a task as it stands now; nothing where there is none, or it is there already. */
export async function followed(ctx: Context, id: string, to: Followed): Promise<Write[]> {
  const was = await ctx.table.get(tasks, { ...ctx.space, id })
  const next = was && moved(was, to, ctx.now())
  if (!next || next === was) return []
  return [tasks.replace({ ...next, updated_at: iso(ctx.now()) }, was), ...loadWrites(was, next)]
}

/** The same for the task whose completion requested the execution. */
export async function actionFollowed(ctx: Context, execution: Source): Promise<Write[]> {
  const was = await ctx.table.get(tasks, { ...ctx.space, id: execution.task_id ?? '' })
  if (!was) return []
  const { task: next, note } = afterAction(was, execution, ctx.now())
  if (next === was) return []
  return [
    tasks.replace({ ...next, updated_at: iso(ctx.now()) }, was),
    ...loadWrites(was, next),
    ...(note === undefined ? [] : [noteWrite(ctx, was.id, note)]),
  ]
}

/** The task of an execution in its first transaction. The command stays sealed, so the title does not tell it. */
export function agentTask(ctx: Context, { id, task_id, agent_id, status, routing }: Source): Write {
  const { tier }: Pick<Task, 'tier'> = JSON.parse(routing)
  const title = agent_id === undefined ? 'Command of an agent' : `Command of ${agent_id}`
  const task = newTask(ctx, { id: task_id ?? '', title, kind: 'agent', tier, source: { type: 'execution', id } })
  return tasks.insert(moved(task, FOLLOWS.execution[status], ctx.now()))
}
