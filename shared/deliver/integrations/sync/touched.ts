import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { type SyncJob, syncJobs } from './job.ts'

/** After so long without progress the sweeper hands a run to a worker again. */
export const STALLED_MS = 900_000

/** So often a run waits because it is asked to, or because Nango is still at it. */
export const WAITS_MAX = 20

/** A run that has just made progress. */
export const touched = <T extends SyncJob>(ctx: Context, job: T): T => ({
  ...job,
  stalls: 0,
  due_at: iso(ctx.now() + STALLED_MS),
})

/** Throws `ConditionFailed` when another worker has moved it. */
export async function moved(ctx: Context, was: Stored<SyncJob>, change: Partial<SyncJob>): Promise<Stored<SyncJob>> {
  const next = touched(ctx, { ...was, ...change })
  await ctx.table.commit([syncJobs.replace(next, was)])
  return { ...next, _v: was._v + 1 }
}
