import type { Context } from '../../base/context.ts'
import { tallies, tallyKey } from '../../base/limits/tally.ts'
import { rateWindows, rateWindowsKey, windowMinute } from '../../base/limits/window.ts'
import { iso } from '../../base/lib/clock.ts'
import { countedUntil } from '../../ledger/fold/counted-until.ts'
import { positionOf } from '../../ledger/fold/folder.ts'
import { measuredUntil, METRICS_FOLDER } from './state.ts'

/**
 * The instant (ms) before which everything is counted that is known here: the end of the last minute that is over, or the
 * beginning of the oldest one that still waits to be counted. An idle space waits for nothing.
 */
export async function asOf(ctx: Context): Promise<number> {
  const { table, space } = ctx
  const folded = await positionOf(ctx, METRICS_FOLDER)
  const until = measuredUntil(folded.state)
  const [counted, [window], [tallied]] = await Promise.all([
    countedUntil(ctx, folded),
    table.query(rateWindows, { pk: rateWindowsKey(space), from: windowMinute(until), limit: 1 }),
    table.query(tallies, { pk: tallyKey(space), from: iso(until).slice(0, 16), limit: 1 }),
  ])
  const waiting = [
    ...(window ? [Date.parse(`${window.sk.replace('#', 'T')}:00.000Z`)] : []),
    ...(tallied ? [Date.parse(`${tallied.sk.slice(0, 16)}:00.000Z`)] : []),
  ]
  return Math.min(counted, ...waiting)
}
