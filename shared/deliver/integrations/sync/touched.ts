import type { Context } from '../../../base/context.ts'
import { lease } from '../../../base/kernel/lease.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { type SyncJob, syncJobs } from './job.ts'

/** After so long without progress the sweeper hands a run to a worker again. */
const STALLED_MS = 900_000

export const turns = lease(syncJobs, STALLED_MS, {
  of: ({ due_at }) => due_at,
  until: (end) => ({ due_at: iso(end) }),
})

/** So often a run waits because it is asked to, or because Nango is still at it. */
export const WAITS_MAX = 20

/** A run that has just made progress. */
export const touched = <T extends SyncJob>(ctx: Context, job: T): T => ({
  ...job,
  stalls: 0,
  ...turns.until(ctx.now()),
})

/** Throws `ConditionFailed` when another worker has moved it. */
export const moved = (ctx: Context, was: Stored<SyncJob>, change: Partial<SyncJob>): Promise<Stored<SyncJob>> =>
  turns.renew(ctx, was, { ...change, stalls: 0 })
