// What somebody had to do goes back to nobody when their access ends, and does not wait for them.
import { type Context, createContext, type Mode } from '../../base/context.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Key } from '../../base/table/entity.ts'
import { MODES } from '../../base/table/members.ts'
import { hasEnded } from './states.ts'
import { commitTask, taskParts } from './store-task.ts'
import { assigneePartition, tasks } from './task.ts'

const inMode = (ctx: Context, mode: Mode): Context => createContext({ ...ctx, space: { ...ctx.space, mode } })

const openOf = (ctx: Context, assigneeId: string): Promise<Key[]> =>
  ctx.table.keys({ pk: assigneePartition(ctx.space, assigneeId), index: 'gsi3' })

/** How many tasks somebody has, in both modes. */
export async function countAssigned(ctx: Context, assigneeId: string): Promise<number> {
  const open = await Promise.all(MODES.map((mode) => openOf(inMode(ctx, mode), assigneeId)))
  return open.flat().length
}

/** Asking again changes nothing. */
export async function unassignAll(from: Context, assigneeId: string): Promise<void> {
  for (const ctx of MODES.map((mode) => inMode(from, mode)))
    for (const { pk } of await openOf(ctx, assigneeId)) await unassign(ctx, pk.split('#').at(-1) ?? '', assigneeId)
}

const unassign = (ctx: Context, id: string, assigneeId: string): Promise<void> =>
  retryWhenChanged(async () => {
    const was = await ctx.table.get(tasks, { ...ctx.space, id })
    if (!was || was.assignee?.id !== assigneeId || hasEnded(was.status)) return
    await commitTask(ctx, taskParts(ctx, was, { ...was, assignee: null, worker_id: undefined }))
  })
