// Lets one worker at a time go on with a run, and gives up a run that no worker gets on with.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { type CheckRun, checkRuns, isOpen } from '../checks/run.ts'
import { endRun } from './end-run.ts'

/** Longer than the worker runs. */
export const LEASE_MS = 3 * 60_000
const ATTEMPTS_MAX = 5

/** Undefined when the run is over, another worker is at it, or it was given up. */
export async function claimRun(ctx: Context, id: string): Promise<Stored<CheckRun> | undefined> {
  const found = await ctx.table.get(checkRuns, { ...ctx.space, id })
  if (!found || !isOpen(found)) return undefined
  const now = ctx.now()
  const held = found.attempt > 0 && found.due_at !== undefined && Date.parse(found.due_at) > now
  if (held) return undefined
  if (found.attempt >= ATTEMPTS_MAX) {
    alarm('check_run_failed', new Error('a run of checks could not be finished'), { run: id })
    await endRun(ctx, found, { status: 'failed' })
    return undefined
  }
  return changeRun(ctx, found, {
    status: 'running',
    started_at: found.started_at ?? iso(now),
    attempt: found.attempt + 1,
    due_at: iso(now + LEASE_MS),
  })
}

/** Undefined when somebody else has changed the run meanwhile. */
async function changeRun(ctx: Context, was: Stored<CheckRun>, change: Partial<CheckRun>) {
  const next: CheckRun = { ...was, ...change }
  try {
    await ctx.table.commit([checkRuns.replace(next, was)])
    return { ...next, _v: was._v + 1 }
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined
    throw error
  }
}
