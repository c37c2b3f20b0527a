// Folds the log, the rate windows and the tallies of a space into its minutes.
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { TALLIED, tallies, TALLY_SHARDS, tallyKey } from '../../base/limits/tally.ts'
import { rateWindows, rateWindowsKey, windowMinute } from '../../base/limits/window.ts'
import { type FoldedCommit, type Folder, type FolderState, GATHERED_MAX } from '../../ledger/fold/folder.ts'
import { type Sums, sumsAre } from '../../base/kernel/count.ts'
import {
  DAY,
  hasRolled,
  HOUR,
  measuredUntil,
  METRICS_FOLDER,
  MINUTE,
  mustRoll,
  notice,
  type Period,
  PERIODS,
  sumItemAt,
  unrolledIn,
} from './state.ts'
import { type Addition, additionsOf, nodeRuns } from './series.ts'
import { SETTLED_MS } from '../../base/table/due.ts'
import type { Write } from '../../base/table/entity.ts'
import { readItems } from './read-window.ts'

/** Of a minute and transaction: twice as many as of an hour, so that the busiest of the hour are found among them. */
const NODES_MAX = 100
/** Rate windows and tallies live two days. */
const LOOK_BACK_MS = 2 * DAY
/** Minutes of each of the two, so at most as many items as a pass has room for. */
const MINUTES_MAX = GATHERED_MAX / 2

type Options = {
  /** Series of the caller's own for a commit, whose usual ones are given. */
  further?: (commit: FoldedCommit, additions: readonly Addition[]) => Addition[]
  /** Hears what each transaction has added. */
  stored?: Folder['stored']
}

export function metricsFolder(space: Space, { further, stored }: Options = {}): Folder {
  /** Runs of nodes are held back, by minute (ms), until it is known which are the busiest. */
  const nodes = new Map<number, Record<string, number>>()
  return {
    name: METRICS_FOLDER,
    ...(stored && { stored }),
    dueAt: rollUpDueAt,
    rollUp,

    fold(commit, sums, state) {
      const additions = additionsOf(commit)
      add({ space, sums, state }, commit.at, [...additions, ...(further?.(commit, additions) ?? [])])
      const minute = Math.floor(commit.at / MINUTE) * MINUTE
      const runs = nodes.get(minute) ?? {}
      for (const [series, by] of nodeRuns(commit)) runs[series] = (runs[series] ?? 0) + by
      nodes.set(minute, runs)
    },

    settle(sums) {
      for (const [minute, runs] of nodes) {
        for (const [series, by] of Object.entries(busiest(runs, NODES_MAX))) {
          sums.add(sumItemAt(space, 'M', minute), series, by)
        }
      }
      nodes.clear()
    },

    async gather(ctx, { asOf, sums, state }) {
      const from = Math.max(measuredUntil(state), asOf - LOOK_BACK_MS)
      if (asOf <= from) return false
      const [requests, tallied] = await Promise.all([readRequests(ctx, from, asOf), readTallies(ctx, from, asOf)])
      const until = Math.min(requests.until, tallied.until)
      for (const { at, additions } of [...requests.found, ...tallied.found]) {
        if (at < until) add({ space, sums, state }, at, additions)
      }
      state.until = until
      return until < asOf
    },
  }
}

type Target = { space: Space; sums: Sums; state: FolderState }

function add({ space, sums, state }: Target, at: number, additions: readonly Addition[]): void {
  const item = sumItemAt(space, 'M', at)
  for (const [series, by] of additions) {
    if (by === 0) continue
    sums.add(item, series, by)
    notice(state, at, series)
    mustRoll(state, 'hours', at)
  }
}

type Found = { at: number; additions: Addition[] }

async function readRequests({ table, space }: Context, from: number, asOf: number) {
  const range = { from: windowMinute(from), to: windowMinute(asOf - MINUTE), limit: MINUTES_MAX }
  const items = await table.query(rateWindows, { pk: rateWindowsKey(space), ...range })
  const found = items.map(({ sk, m }): Found => ({ at: minuteOf(sk.replace('#', 'T')), additions: [['rq', m]] }))
  return { found, until: items.length < MINUTES_MAX ? asOf : (found.at(-1)?.at ?? 0) + MINUTE }
}

async function readTallies({ table, space }: Context, from: number, asOf: number) {
  const limit = MINUTES_MAX * TALLY_SHARDS
  const range = { from: iso(from).slice(0, 16), to: `${iso(asOf - MINUTE).slice(0, 16)}~`, limit }
  const items = await table.query(tallies, { pk: tallyKey(space), ...range })
  const found = items.map(({ sk, ...counts }): Found => {
    const additions = TALLIED.map((name): Addition => [name, wholeOf(counts[name])])
    return { at: minuteOf(sk.slice(0, 16)), additions }
  })
  // The rest of its last minute may come with the next page.
  return { found, until: items.length < limit ? asOf : (found.at(-1)?.at ?? 0) }
}

const wholeOf = (count: unknown): number => (typeof count === 'number' ? count : 0)

const minuteOf = (minute: string) => Date.parse(`${minute}:00.000Z`)

// Roll-up. Hours are made of their minutes and days of their hours, once, soon after they ended, and again when something was
// counted late. The items are written as a whole, in the transaction that takes them off the list, so a roll-up that is repeated
// changes nothing.

/** So long after its end an hour is rolled up; later counts are rare. */
const LATE_MS = 5 * MINUTE
/** Periods of one transaction. Their items hold up to 50 nodes and many series. */
const AT_ONCE = 12
/** Of an hour or a day. */
const SUMMED_NODES_MAX = 50

/** The next items that can be made. `asOf` (ms): everything before it is counted. */
async function rollUp(ctx: Context, { asOf, state }: { asOf: number; state: FolderState }): Promise<Write[]> {
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
function rollUpDueAt(state: FolderState): number | undefined {
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
  return sumsAre(sumItemAt(ctx.space, period, from), busiest(sums, SUMMED_NODES_MAX))
}

/** Only the busiest nodes have series of their own; the others share this one. */
export const OTHER_NODES = '~other'

const RUNS = 'n.'
const FAILED = 'nb.'

/** Series of runs and failures by node, of which the least busy are added up until `max` nodes have their own. */
function busiest(series: Readonly<Record<string, number>>, max: number): Record<string, number> {
  const named = Object.entries(series).flatMap(([name, runs]): [node: string, runs: number][] =>
    name.startsWith(RUNS) && name !== RUNS + OTHER_NODES ? [[name.slice(RUNS.length), runs]] : [],
  )
  const kept = { ...series }
  for (const [node] of named.toSorted(byRuns).slice(max)) {
    for (const prefix of [RUNS, FAILED]) {
      const { [prefix + node]: count = 0 } = kept
      delete kept[prefix + node]
      if (count > 0) kept[prefix + OTHER_NODES] = (kept[prefix + OTHER_NODES] ?? 0) + count
    }
  }
  return kept
}

type Runs = [node: string, runs: number]

const byRuns = ([a, most]: Runs, [b, least]: Runs): number => least - most || (a < b ? -1 : 1)
