// Folds the log, the rate windows and the tallies of a space into its minutes.
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { TALLIED, tallies, TALLY_SHARDS, tallyKey } from '../../base/limits/tally.ts'
import { rateWindows, rateWindowsKey, windowMinute } from '../../base/limits/window.ts'
import { type Folder, type FoldedCommit, type FolderState, GATHERED_MAX } from '../../ledger/fold/folder.ts'
import type { Sums } from '../../base/kernel/count.ts'
import { busiest } from './nodes.ts'
import { DAY, MINUTE, sumItemAt } from './periods.ts'
import { rollUp, rollUpDueAt } from './roll-up.ts'
import { type Addition, additionsOf, nodeRuns } from './series.ts'
import { measuredUntil, METRICS_FOLDER, mustRoll, notice } from './state.ts'

/** Of each transaction and minute, from which the busiest nodes of the hour are found. */
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
