// Lets one worker at a time go on with a run, and gives up a run that no worker gets on with.
import type { Context } from '../../base/context.ts'
import { workLease } from '../../base/kernel/lease.ts'
import { iso } from '../../base/lib/clock.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type CheckRun, checkRuns, isOpen } from '../checks/run.ts'
import { endRun } from './end-run.ts'

/** Longer than the worker runs. */
export const runTurns = workLease(checkRuns, 3 * 60_000, 5)

/** Undefined when the run is over, another worker is at it, or it was given up. */
export async function claimRun(ctx: Context, id: string): Promise<Stored<CheckRun> | undefined> {
  const found = await ctx.table.get(checkRuns, { ...ctx.space, id })
  if (!found || !isOpen(found)) return undefined
  const now = ctx.now()
  if (runTurns.isHeld(found, now)) return undefined
  if (runTurns.isSpent(found)) {
    alarm('check_run_failed', new Error('a run of checks could not be finished'), { run: id })
    await endRun(ctx, found, { status: 'failed' })
    return undefined
  }
  return runTurns.take(ctx, found, { status: 'running', started_at: found.started_at ?? iso(now) })
}
