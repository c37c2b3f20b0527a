import type { Context } from '../../../base/context.ts'
import { headKey, heads } from '../chain/chain.ts'
import { enqueue } from './verify-queue.ts'

/** Queues a pass of this chain, if it has artifacts. */
export async function enqueueFullPass({ table, space }: Context): Promise<void> {
  const head = await table.get(heads, headKey(space))
  if (head && head.size > 0) await enqueue([{ tenant_id: space.tenant_id, mode: space.mode }])
}
