// Folds the log, the rate windows and the tallies of a space into its minutes, hours and days.
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { TALLY_SHARDS, tallies, tallyKey } from '../../base/limits/tally.ts'
import { rateWindows, rateWindowsKey, windowMinute } from '../../base/limits/window.ts'
import type { Folder, FolderState } from '../../ledger/fold/folder.ts'
import type { Sums } from '../../ledger/fold/sums.ts'
import { DAY, itemsOf, MINUTE } from './periods.ts'
import { type Addition, additionsOf } from './series.ts'

export const METRICS_FOLDER = 'metrics'

/** Nodes with a series of their own, of each day; the others share one. */
const NODES_MAX = 50
export const OTHER_NODES = '~other'
/** Rate windows and tallies live two days. */
const LOOK_BACK_MS = 2 * DAY
/** So many minutes go into one transaction, with the hours and days that they belong to. */
const MINUTES_MAX = 30

/** `stored` hears what each transaction has added. */
export const metricsFolder = (space: Space, stored?: Folder['stored']): Folder => ({
  name: METRICS_FOLDER,
  ...(stored && { stored }),

  fold(commit, sums, state) {
    const name = (nodeId: string) => nodeNameOn(commit.at, nodeId, state)
    const additions = additionsOf(commit, name)
    add(space, sums, commit.at, additions)
    notice(state, commit.at, additions)
  },

  async gather(ctx, { asOf, sums, state }) {
    const from = Math.max(measuredUntil(state), asOf - LOOK_BACK_MS)
    if (asOf <= from) return false
    const [requests, tallied] = await Promise.all([readRequests(ctx, from, asOf), readTallies(ctx, from, asOf)])
    const until = Math.min(requests.until, tallied.until)
    for (const { at, additions } of [...requests.found, ...tallied.found]) {
      if (at >= until) continue
      add(space, sums, at, additions)
      notice(state, at, additions)
    }
    state.until = until
    return until < asOf
  },
})

/** Up to when (ms) the minutes of rate windows and tallies are counted. */
export const measuredUntil = ({ until }: FolderState): number => (typeof until === 'number' ? until : 0)

/** The last minute (ms) in which a series grew: rules look only at what can have changed. */
export const seenIn = ({ seen }: FolderState): Readonly<Record<string, number>> =>
  (seen ?? {}) as Record<string, number> // see notice

/** Series of single nodes and kinds of personal data are too many to remember. */
const REMEMBERED = /^([ge]\d+$|rq$|rb$|dl_|[ravc]\.)/

function notice(state: FolderState, at: number, additions: readonly Addition[]): void {
  const minute = Math.floor(at / MINUTE) * MINUTE
  const seen = (state.seen ??= {}) as Record<string, number>
  for (const [series, by] of additions) {
    if (by > 0 && REMEMBERED.test(series)) seen[series] = Math.max(seen[series] ?? 0, minute)
  }
}

function add(space: Space, sums: Sums, at: number, additions: readonly Addition[]): void {
  for (const item of itemsOf(space, at)) for (const [series, by] of additions) sums.add(item, series, by)
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
  const found = items.map(({ sk, rb, dl_ok, dl_bad }): Found => {
    const additions: Addition[] = [
      ['rb', rb],
      ['dl_ok', dl_ok],
      ['dl_bad', dl_bad],
    ]
    return { at: minuteOf(sk.slice(0, 16)), additions }
  })
  // The rest of its last minute may come with the next page.
  return { found, until: items.length < limit ? asOf : (found.at(-1)?.at ?? 0) }
}

const minuteOf = (minute: string) => Date.parse(`${minute}:00.000Z`)

/** Those met first have a series of their own; the state remembers them for the newest two days. */
function nodeNameOn(at: number, nodeId: string, state: FolderState): string {
  const days = (state.nodes ??= {}) as Record<string, string[]>
  const day = iso(at).slice(0, 10)
  const names = (days[day] ??= [])
  if (!names.includes(nodeId) && names.length < NODES_MAX) names.push(nodeId)
  for (const old of Object.keys(days).toSorted().slice(0, -2)) delete days[old]
  return names.includes(nodeId) ? nodeId : OTHER_NODES
}
