// The probes of the detailed health of a tenant: shared components and its own event log and chain.
import type { Context } from '../../base/context.ts'
import { logHeads, relayLag } from '../../ledger/events/log.ts'
import { cache, database, type Probe, system } from './probe.ts'
import { bus, queues, signing, writes } from './probes.ts'
import { iso } from '../../base/lib/clock.ts'
import { POINTER_SHARDS, pointerShardKey } from '../../ledger/evidence/artifact/artifact.ts'
import { headKey, heads } from '../../ledger/evidence/chain/chain.ts'
import { oldestUnsigned } from '../../ledger/evidence/checkpoint/signers.ts'
import { newestCheckpoints } from '../../ledger/evidence/chain/read-chain.ts'

/** If a commit is not in the event log after this time, the relay does not run. */
const RELAY_LATE_MS = 60_000

export const components = (ctx: Context): Record<string, Probe> => ({
  database,
  writes,
  cache,
  system,
  queues,
  bus,
  kms: signing,
  relay: relay(ctx),
  sequencer: sequencer(ctx),
})

const relay =
  (ctx: Context): Probe =>
  async () => {
    const [head, lag_ms] = await Promise.all([ctx.table.get(logHeads, ctx.space), relayLag(ctx)])
    const status = lag_ms > RELAY_LATE_MS ? 'degraded' : 'ok'
    return { status, detail: { events_logged: head?.position ?? 0, lag_ms } }
  }

/** More artifacts without a position mean that sequencing has stopped. */
const BACKLOG = 5_000
/** Checkpoints are due after a minute. An artifact that has waited this long means that signing has stopped. */
const UNSIGNED_MS_MAX = 10 * 60_000

/** How much of the tenant's chain has no position yet, and since when its oldest unsigned part waits. */
const sequencer =
  (ctx: Context): Probe =>
  async () => {
    const shards = Array.from({ length: POINTER_SHARDS }, (_, shard) => pointerShardKey(ctx.space, shard))
    const [head, [newest], ...waiting] = await Promise.all([
      ctx.table.get(heads, headKey(ctx.space)),
      newestCheckpoints(ctx, 1),
      ...shards.map((pk) => ctx.table.count({ pk }, 1)),
    ])
    const pending = waiting.reduce((sum, { total }) => sum + total, 0)
    const sequenced = head?.size ?? 0
    const unsigned = sequenced - (newest?.size ?? 0)
    const oldest = unsigned > 0 ? await oldestUnsigned(ctx, newest) : undefined
    const isLate = oldest !== undefined && oldest < ctx.now() - UNSIGNED_MS_MAX
    return {
      status: pending > BACKLOG || isLate ? 'degraded' : 'ok',
      detail: { pending, sequenced, unsigned, oldest_unsigned_at: oldest === undefined ? null : iso(oldest) },
    }
  }
