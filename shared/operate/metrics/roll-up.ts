// Hours are made of their minutes and days of their hours, once, soon after they ended; anew when something late was counted. The
// items are written as a whole, in the transaction that takes them off the list, so a roll-up that is repeated changes nothing.
import type { Context } from '../../base/context.ts'
import { SETTLED_MS } from '../../base/table/due.ts'
import type { Write } from '../../base/table/entity.ts'
import type { FolderState } from '../../ledger/fold/folder.ts'
import { sumsAre } from '../../base/kernel/count.ts'
import { busiest } from './nodes.ts'
import { DAY, HOUR, MINUTE, type Period, PERIODS, sumItemAt } from './periods.ts'
import { readItems } from './read-window.ts'
import { hasRolled, mustRoll, unrolledIn } from './state.ts'

/** So long after its end an hour is rolled up: what comes later is rare. */
const LATE_MS = 5 * MINUTE
/** Periods of one transaction. Their items hold up to 50 nodes and many series. */
const AT_ONCE = 12
const NODES_MAX = 50

/** The next items that can be made. `asOf` (ms): everything before it is counted. */
export async function rollUp(ctx: Context, { asOf, state }: { asOf: number; state: FolderState }): Promise<Write[]> {
  const { hours, days } = duePeriods(state, asOf)
  const writes = await Promise.all([
    ...hours.slice(0, AT_ONCE).map((at) => rolled(ctx, 'H', at)),
    ...(hours.length > 0 ? [] : days.slice(0, AT_ONCE).map((at) => rolled(ctx, 'D', at))),
  ])
  if (hours.length === 0) for (const at of days.slice(0, AT_ONCE)) hasRolled(state, 'days', at)
  for (const at of hours.slice(0, AT_ONCE)) {
    hasRolled(state, 'hours', at)
    mustRoll(state, 'days', at)
  }
  return writes
}

/** When (ms) the next roll-up is due. */
export function rollUpDueAt(state: FolderState): number | undefined {
  const { hours, days } = unrolledIn(state)
  const ends = [...hours.map((at) => at + HOUR), ...days.map((at) => at + DAY)]
  return ends.length === 0 ? undefined : Math.min(...ends) + LATE_MS + SETTLED_MS
}

function duePeriods(state: FolderState, asOf: number) {
  const { hours, days } = unrolledIn(state)
  return {
    hours: hours.filter((at) => at + HOUR + LATE_MS <= asOf),
    days: days.filter((at) => at + DAY + LATE_MS <= asOf),
  }
}

const PARTS = { H: 'M', D: 'H' } as const satisfies Partial<Record<Period, Period>>

async function rolled(ctx: Context, period: keyof typeof PARTS, from: number): Promise<Write> {
  const sums: Record<string, number> = {}
  for (const { counts } of await readItems(ctx, { period: PARTS[period], from, until: from + PERIODS[period].ms })) {
    for (const [series, by] of Object.entries(counts)) sums[series] = (sums[series] ?? 0) + by
  }
  return sumsAre(sumItemAt(ctx.space, period, from), busiest(sums, NODES_MAX))
}
