// The probes of the detailed health of a tenant: shared components and its own event log and chain.
import type { Context } from '../../base/context.ts'
import { logHeads, relayLag } from '../../ledger/events/log.ts'
import { database } from './database-probe.ts'
import { cache, system } from './local-probes.ts'
import type { Probe } from './probe.ts'
import { sequencer } from './sequencer-probe.ts'
import { writes } from './write-probe.ts'
import { bus, queues, signing } from './probes.ts'

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
