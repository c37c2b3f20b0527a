// Assigns positions to artifacts. Safe under concurrent runs and crashes: a block is written before any artifact is updated,
// at most one block is unfinished, and the next run finishes it.
import type { Context } from '../../../base/context.ts'
import { chainName } from '../artifact/hashes.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { isFirst } from '../../../base/kernel/retry.ts'
import { blockKey, blocks, type Head, headKey, heads } from './chain.ts'
import { finalise } from './finalise.ts'
import { nextBlock, type Pending } from './next-block.ts'
import { readPending } from './read-pending.ts'
import { setAsideForged } from './refused.ts'

/**
 * `lost`: announced artifacts that are gone or changed. The chain does not wait for them. `isStopped`: time was over, so more may
 * be pending.
 */
export type Sequenced = { sequenced: number; lost: string[]; isStopped: boolean; head: Stored<Head> | undefined }

/** Sequences all pending artifacts of this space; stops after the first block past `until` (ms). */
export async function sequence(ctx: Context, until = Number.POSITIVE_INFINITY): Promise<Sequenced> {
  const done: Sequenced = { sequenced: 0, lost: [], isStopped: false, head: undefined }
  let lostAt: number | undefined
  for (;;) {
    const head = await ctx.table.get(heads, headKey(ctx.space))
    if (head && head._v === lostAt) throw new Error(`the head of ${chainName(ctx.space)} is behind its blocks`)
    done.head = head
    if (!head) return done
    if (ctx.now() >= until) return { ...done, isStopped: true }
    if (head.last_block > head.finalized) {
      done.lost.push(...(await finalise(ctx, head)))
      continue
    }
    // Read after the head: every visible pointer is unsequenced, or the head has changed and the commit fails.
    const { pending, forged } = await readPending(ctx)
    await setAsideForged(ctx, forged)
    if (pending.length === 0 && forged.length === 0) return done
    if (pending.length === 0) continue
    if (await commitBlock(ctx, head, pending)) done.sequenced += pending.length
    else lostAt = head._v
  }
}

/** Writes two items, whatever the size of the batch. False when another run was faster. */
async function commitBlock(ctx: Context, was: Stored<Head>, pending: Pending[]): Promise<boolean> {
  const { block, head } = nextBlock(chainName(ctx.space), was, pending)
  return isFirst(
    ctx.table.commit([blocks.insert({ ...blockKey(ctx.space, head.last_block), ...block }), heads.replace(head, was)]),
  )
}
