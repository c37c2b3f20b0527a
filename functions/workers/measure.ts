import { type Context, currentRuntime, type Space, systemContext } from '../../shared/base/context.ts'
import { AGAIN, type QueueEvent, read } from '../../shared/base/kernel/queue.ts'
import { alarm } from '../../shared/base/lib/log.ts'
import { enqueueSpaces, measurements } from '../../shared/ledger/fold/enqueue.ts'
import { foldSpace, lastEnded } from '../../shared/ledger/fold/fold.ts'
import { hitsFolder } from '../../shared/ledger/hits/hit.ts'
import { metricsFolder } from '../../shared/operate/metrics/folder.ts'
import { PlatformPass } from '../../shared/operate/metrics/platform-pass.ts'
import { experimentsFolder } from '../../shared/learn/experiments/folder.ts'
import { noteUsage } from '../../shared/operate/usage/note-usage.ts'
import { expectPush } from '../../shared/operate/usage/expect-push.ts'
import { usageFolder } from '../../shared/operate/usage/folder.ts'
import { filtersOf, underFilters, watchFolder } from '../../shared/operate/watch/folder.ts'
import { definitionsOf, watch } from '../../shared/operate/watch/watch.ts'

/** Then the rest goes back to the queue: before the function runs out of time. */
const RUN_MS = 40_000

/** Counts what the named spaces have done since they were counted last. A space in trouble does not stop the others. */
export const handler = async (event: QueueEvent) => {
  const { clock } = currentRuntime()
  const pass = new PlatformPass(clock.now())
  const deadline = clock.now() + RUN_MS
  const answer = await read(measurements, event, { failed: 'measure_failed' }, ({ spaces }) =>
    measureAll(spaces, deadline, pass),
  )
  pass.print(clock.now())
  return answer
}

async function measureAll(spaces: readonly Space[], deadline: number, pass: PlatformPass): Promise<unknown> {
  const unfinished = []
  let failed = false
  for (const space of spaces) {
    try {
      const ctx = systemContext(space)
      if (ctx.now() >= deadline || !(await measure(ctx, deadline, pass))) unfinished.push(space)
    } catch (error) {
      alarm('measure_failed', error, { tenant: space.tenant_id, mode: space.mode })
      failed = true
    }
  }
  if (unfinished.length > 0) await enqueueSpaces(unfinished)
  return failed && AGAIN
}

/** Notes whether a pass has counted anything. */
function countingUsage(space: Space) {
  const counting = { hasCounted: false, folder: usageFolder(space) }
  counting.folder.stored = (sums) => void (counting.hasCounted ||= sums.size > 0)
  return counting
}

/** False when it had to stop with more to do. Rules are looked at once everything before the last minute is counted. */
async function measure(ctx: Context, deadline: number, pass: PlatformPass): Promise<boolean> {
  const asOf = lastEnded(ctx.now())
  const defined = await definitionsOf(ctx)
  const usage = countingUsage(ctx.space)
  const folders = [
    metricsFolder(ctx.space, { further: underFilters(filtersOf(defined.slos)), stored: pass.add }),
    watchFolder(defined.rules),
    usage.folder,
    experimentsFolder(ctx.space),
    hitsFolder(ctx.space),
  ]
  if (!(await foldSpace(ctx, folders, deadline))) return false
  if (ctx.space.mode === 'live' && usage.hasCounted) {
    await noteUsage(ctx)
    await expectPush(ctx)
  }
  pass.alertsFiring += await watch(ctx, defined, asOf)
  return true
}
