// The facts of this layer that checks ask for: reads of the audit log, and the state of the chain.
import type { ChainFacts, FactAsk, FactSources, RequiredFacts } from '../base/ports/check-facts.ts'
import { firstId, timeOfId } from '../base/lib/ids.ts'
import { wholeRange } from '../base/table/whole.ts'
import { auditEntries, resourcePartition } from './audit/entry.ts'
import type { Context } from '../base/context.ts'
import { iso } from '../base/lib/clock.ts'
import { artifactIdOf, POINTER_SHARDS, pointerShardKey, readable } from './evidence/artifact/artifact.ts'
import { headKey, heads } from './evidence/chain/chain.ts'
import { newestCheckpoints } from './evidence/chain/read-chain.ts'
import { findAnchor } from './evidence/checkpoint/checkpoint-store.ts'
import { oldestUnsigned, readSigners } from './evidence/checkpoint/signers.ts'
import { openBreak, sealedResults } from './evidence/verify/results.ts'
import { readState } from './evidence/verify/verify-state.ts'

const LOOKED_MS = 30 * 86_400_000
const MOST = 20_000

/** Reads and exports of the log by people, not by keys: software that reads it reviews nothing. */
async function audit_reads({ ctx, now }: FactAsk): Promise<RequiredFacts['audit_reads']> {
  const pk = resourcePartition(ctx.space, { type: 'audit_log', id: ctx.space.tenant_id })
  const range = { pk, index: 'gsi2', from: firstId('aud', now - LOOKED_MS) } as const
  const entries = await wholeRange(ctx.table, auditEntries, range, MOST)
  return entries
    .filter(({ actor, outcome }) => actor.type === 'user' && outcome === 'success')
    .map(({ at, actor }) => ({ at, user_id: actor.id }))
}

/** Checkpoints and breaks are those of the bucket, and results must be sealed: the table may have been changed. */
async function chain({ ctx }: FactAsk): Promise<ChainFacts> {
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

export const ledgerFacts = { audit_reads, chain } satisfies Partial<FactSources>
