// The records that a connection copied are removed when it ends, also if a message or a process is lost meanwhile.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { warn } from '../../../base/lib/log.ts'
import { dueAt } from '../../../base/table/due.ts'
import { entity, spaceKey, type Write } from '../../../base/table/entity.ts'
import { spaceMembers } from '../../../base/table/members.ts'
import { unlessChangedMeanwhile } from '../../../base/kernel/retry.ts'
import { enqueueSync } from './enqueue.ts'
import { removeRecords } from './record.ts'

/** Then the sweeper sends it to the worker again. */
const AGAIN_AFTER_MS = 900_000

const Removal = z.object({
  ...spaceMembers,
  connection_id: z.string(),
  models: z.array(z.string()),
  due_at: z.string(),
})

export const removals = entity({
  name: 'REMOVAL',
  unbound: 'bounded',
  schema: Removal,
  key: (of: Space & { connection_id: string }) => ({ pk: spaceKey(of, 'REMOVING'), sk: of.connection_id }),
  index: ({ due_at, connection_id }) => dueAt(due_at, connection_id),
})

const laterOf = (ctx: Context) => iso(ctx.now() + AGAIN_AFTER_MS)

/** For the commit that ends the connection, or what still wrote for it. */
export async function removalOf(ctx: Context, connection_id: string, models: readonly string[]): Promise<Write> {
  const was = await ctx.table.get(removals, { ...ctx.space, connection_id })
  const all = [...new Set([...(was?.models ?? []), ...models])]
  const next = { ...ctx.space, connection_id, models: all, due_at: laterOf(ctx) }
  return was ? removals.replace(next, was) : removals.insert(next)
}

/** After that commit. */
export const beginRemoval = ({ space }: Context, connection_id: string): Promise<void> =>
  enqueueSync({ ...space, remove: connection_id }).catch((error: unknown) =>
    warn('removal_not_enqueued', error, { connection: connection_id }),
  )

/** It may be repeated. One that somebody has added to meanwhile is due again. */
export async function runRemoval(ctx: Context, connection_id: string): Promise<void> {
  const was = await ctx.table.get(removals, { ...ctx.space, connection_id })
  if (!was) return
  await removeRecords(ctx, connection_id, was.models)
  const unchanged = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': was._v } }
  await unlessChangedMeanwhile(ctx.table.commit([removals.remove(was, unchanged)]))
}

export async function sweepRemoval(ctx: Context, connection_id: string): Promise<void> {
  const was = await ctx.table.get(removals, { ...ctx.space, connection_id })
  if (!was || Date.parse(was.due_at) > ctx.now()) return
  await unlessChangedMeanwhile(ctx.table.commit([removals.replace({ ...was, due_at: laterOf(ctx) }, was)]))
  await beginRemoval(ctx, connection_id)
}
