// Queues full passes, by schedule.
import type { Context } from '../../../base/context.ts'
import { POINTER_SHARDS, pointerShardKey } from '../artifact/artifact.ts'
import { headKey, heads } from '../chain/chain.ts'
import { enqueue } from './verify-queue.ts'

/** Queues a pass of this chain, if it has artifacts or some wait for their position. */
export async function enqueueFullPass(ctx: Context): Promise<void> {
  const { tenant_id, mode } = ctx.space
  const head = await ctx.table.get(heads, headKey(ctx.space))
  if (head && (head.size > 0 || (await arePending(ctx)))) await enqueue([{ tenant_id, mode }])
}

async function arePending({ table, space }: Context): Promise<boolean> {
  const shards = Array.from({ length: POINTER_SHARDS }, (_, shard) =>
    table.keys({ pk: pointerShardKey(space, shard), limit: 1 }),
  )
  return (await Promise.all(shards)).flat().length > 0
}
