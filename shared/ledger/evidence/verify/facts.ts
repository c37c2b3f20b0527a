import type { Context } from '../../../base/context.ts'
import type { ChainFacts, FactAsk } from '../../../base/ports/facts.ts'
import { iso } from '../../../base/lib/clock.ts'
import { timeOfId } from '../../../base/lib/ids.ts'
import { artifactIdOf, POINTER_SHARDS, pointerShardKey, readable } from '../artifact/artifact.ts'
import { headKey, heads } from '../chain/chain.ts'
import { newestCheckpoints } from '../chain/read-chain.ts'
import { findAnchor } from '../checkpoint/checkpoint-store.ts'
import { oldestUnsigned, readSigners } from '../checkpoint/signers.ts'
import { openBreak, sealedResults } from './results.ts'
import { readState } from './verify-state.ts'

/** Checkpoints and breaks are those of the bucket, and results must be sealed: the table may have been changed. */
export async function chain({ ctx }: FactAsk): Promise<ChainFacts> {
  const [head, { last_full, completeness }, broken, signers, [known]] = await Promise.all([
    ctx.table.get(readable(heads), headKey(ctx.space)),
    readState(ctx).then((state) => sealedResults(ctx, state)),
    openBreak(ctx.space),
    readSigners(ctx),
    newestCheckpoints(ctx, 1),
  ])
  const { newest, anchor } = await findAnchor(ctx.space, signers, known?.size)
  const unsigned = await Promise.all([oldestUnsigned(ctx, anchor), ...waiting(ctx)])
  const [oldest] = unsigned.filter((at) => at !== undefined).toSorted((a, b) => a - b)
  return {
    size: head?.size ?? 0,
    broken: broken !== undefined,
    last_full: last_full ? { at: last_full.at, valid: last_full.result === 'valid' } : null,
    completeness: completeness?.checked_at
      ? { at: completeness.checked_at, complete: completeness.result === 'complete' }
      : null,
    checkpoint:
      newest === undefined
        ? null
        : { at: anchor?.signed_at ?? '', size: anchor?.size ?? 0, opens: anchor !== undefined },
    oldest_unsigned_at: oldest === undefined ? null : iso(oldest),
  }
}

/** Since when (ms) the oldest artifact of each shard waits for its position. */
const waiting = ({ table, space }: Context): Promise<number | undefined>[] =>
  Array.from({ length: POINTER_SHARDS }, async (_, shard) => {
    const [first] = await table.keys({ pk: pointerShardKey(space, shard), limit: 1 })
    return first && timeOfId(artifactIdOf(first.sk))
  })
