// The probes of the detailed health of a tenant: shared components and its own event log and chain.
import type { Context } from '../../base/context.ts'
import { logHeads } from '../../ledger/events/log.ts'
import { relayLag } from '../../ledger/events/relay-lag.ts'
import { POINTER_SHARDS, pointerShardKey } from '../../ledger/evidence/artifact/artifact.ts'
import { headKey, heads } from '../../ledger/evidence/chain/chain.ts'
import { newestCheckpoints } from '../../ledger/evidence/chain/read-chain.ts'
import { database } from './database-probe.ts'
import { cache, system } from './local-probes.ts'
import type { Probe } from './probe.ts'
import { writes } from './write-probe.ts'
import { bus, queues, signing } from './probes.ts'

/** More artifacts without a position mean that sequencing has stopped. */
const BACKLOG = 5_000
/** A commit that is not in the event log by then waits for a relay that stands. */
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

const sequencer =
  (ctx: Context): Probe =>
  async () => {
    const shards = Array.from({ length: POINTER_SHARDS }, (_, shard) => pointerShardKey(ctx.space, shard))
    const [head, checkpoint, ...waiting] = await Promise.all([
      ctx.table.get(heads, headKey(ctx.space)),
      newestCheckpoints(ctx, 1),
      ...shards.map((pk) => ctx.table.count({ pk }, 1)),
    ])
    const pending = waiting.reduce((sum, { total }) => sum + total, 0)
    const unsigned = (head?.size ?? 0) - (checkpoint[0]?.size ?? 0)
    return { status: pending > BACKLOG ? 'degraded' : 'ok', detail: { pending, sequenced: head?.size ?? 0, unsigned } }
  }
