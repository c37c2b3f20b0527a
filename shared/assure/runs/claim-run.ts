// The lease and the end of a run. One worker at a time goes on with a run; a run that five workers could not finish is given up.
import type { Context } from '../../base/context.ts'
import { workLease } from '../../base/kernel/lease.ts'
import { iso } from '../../base/lib/clock.ts'
import { alarm, warn } from '../../base/lib/log.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { type CheckRun, checkRuns, isOpen, RUN_STATES, runQueues } from '../checks/run.ts'
import { moves } from '../../base/kernel/lifecycle.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { startedRun } from '../checks/request-run.ts'
import { enqueueExport } from '../exports/enqueue.ts'
import { conflict } from '../../base/lib/failure.ts'

/** Longer than the worker runs. */
export const runTurns = /* @__PURE__ */ workLease(checkRuns, 3 * 60_000, 5)

/**
 * Takes the lease on a run. Undefined when the run is over, another worker holds it, or it was given up. After a crash the lease
 * runs out, and the next message takes the run over where its last part ended.
 */
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

const runs = moves(checkRuns, RUN_STATES, { lost: () => takenOver })

type End = { status: 'completed' | 'failed'; writes?: (ended: CheckRun) => Promise<Write[]> }

/**
 * Ends a run and starts the one that was requested meanwhile, in one transaction: so an ended run is never the open one, and no
 * request is lost. Throws when another worker has taken the run over. Exports that wait for it go on afterwards; a lost message is
 * repaired by the sweeper.
 */
export async function endRun(
  ctx: Context,
  was: Stored<CheckRun>,
  { status, writes = async () => [] }: End,
): Promise<void> {
  const follow = await retryWhenChanged(async () => {
    const { item, write } = runs.move(was, status, { finished_at: iso(ctx.now()), due_at: undefined })
    const [own, next] = await Promise.all([writes(item), nextWrites(ctx, was.id)])
    await ctx.table.commit([write, ...own, ...next.writes])
    return next.enqueue
  })
  await follow()
  for (const export_id of was.export_ids) await enqueueExport(ctx.space, export_id).catch(lost(export_id))
}

/** The sweeper finds an export whose message was lost. */
const lost = (export_id: string) => (error: unknown) => warn('export_not_enqueued', error, { export: export_id })

async function nextWrites(ctx: Context, ended: string): Promise<{ writes: Write[]; enqueue: () => Promise<void> }> {
  const queue = await ctx.table.get(runQueues, ctx.space)
  if (queue?.open !== ended) return { writes: [], enqueue: async () => {} }
  const { next: ask, manual_at } = queue
  if (ask) return startedRun(ctx, { ask, queue, next: { manual_at } })
  return {
    writes: [runQueues.replace({ ...ctx.space, manual_at }, queue, new ChangedMeanwhile())],
    enqueue: async () => {},
  }
}

/** Thrown by a worker who finds that another one goes on with its run. */
export const takenOver = conflict('Another worker goes on with this run.')
