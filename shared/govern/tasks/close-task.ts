// How the area that opened a task ends it, when what it was about has ended.
import type { Context } from '../../base/context.ts'
import { moved } from './moved.ts'
import { type Followed, hasEnded } from './states.ts'
import { taskParts, type TaskParts } from './store-task.ts'
import { tasks } from './task.ts'

type End = Followed & { status: 'completed' | 'cancelled' }

/** Undefined when there is no such task, or it has ended. The parts go into a commit inside `retryWhenOvertaken`. */
export async function closeTask(ctx: Context, id: string, end: End): Promise<TaskParts | undefined> {
  const was = await ctx.table.get(tasks, { ...ctx.space, id })
  return was && !hasEnded(was.status) ? taskParts(ctx, was, moved(was, end, ctx.now())) : undefined
}
