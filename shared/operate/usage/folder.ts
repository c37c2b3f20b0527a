// Counts billed usage over the event log of a space: each commit once, also when a record is delivered twice or a process dies.
import { DAY_MS } from '../../base/lib/clock.ts'
import { RESULTS } from '../../base/catalog/measure-words.ts'
import { MEASURES } from '../../base/catalog/measures.ts'
import type { Space } from '../../base/context.ts'
import { rateWindows, rateWindowsKey, windowMinute } from '../../base/limits/window.ts'
import type { Folder, FoldedCommit } from '../../ledger/fold/folder.ts'
import { hourOf, type Meter, usageItemsOf } from '../../ledger/usage/usage-item.ts'

/** About so many bytes are a token. */
const BYTES_A_TOKEN = 4
/** Rate windows live two days. */
const LOOK_BACK_MS = 2 * DAY_MS
/** Requests are read in pieces of so many minutes, which are few hours. */
const MINUTES_MAX = 18 * 60

export const usageFolder = (space: Space): Folder => ({
  name: 'usage',

  fold(commit, sums) {
    const items = usageItemsOf(space, hourOf(commit.at))
    for (const [meter, by] of metered(commit)) for (const item of items) sums.add(item, meter, by)
  },

  async gather(ctx, { asOf, sums, state }) {
    const until = typeof state['until'] === 'number' ? state['until'] : 0
    const from = Math.max(until, asOf - LOOK_BACK_MS)
    if (asOf <= from) return false
    const to = Math.min(asOf, from + MINUTES_MAX * 60_000)
    const range = { pk: rateWindowsKey(ctx.space), from: windowMinute(from), to: windowMinute(to - 1) }
    for (const { sk, m } of await ctx.table.query(rateWindows, range))
      for (const item of usageItemsOf(space, `${sk.slice(0, 10)}T${sk.slice(11, 13)}`)) sums.add(item, 'requests', m)
    state['until'] = to
    return to < asOf
  },
})

/** The usage that one commit adds. An execution counts when it has succeeded. */
export function metered({ measures }: Pick<FoldedCommit, 'measures'>): [Meter, number][] {
  const found: [Meter, number][] = []
  for (const one of measures) {
    const run = MEASURES.r.safeParse(one).data
    if (run && RESULTS[run[1]] === 'ok') {
      const [, , , , output, payload] = run
      found.push(['executions', 1])
      if (payload !== undefined) found.push(...estimated(payload, output))
    }
    const decided = MEASURES.d.safeParse(one).data
    if (decided) found.push(['storage_bytes', decided[5]])
    if (run) found.push(['storage_bytes', run[4]])
    const reported = MEASURES.t.safeParse(one).data
    if (reported) found.push(['tokens_input', reported[1]], ['tokens_output', reported[2]])
  }
  return found
}

function estimated(payload: number, output: number): [Meter, number][] {
  const [input, answer] = [Math.ceil(payload / BYTES_A_TOKEN), Math.ceil(output / BYTES_A_TOKEN)]
  return [
    ['tokens_input', input],
    ['tokens_output', answer],
    ['tokens_estimated', input + answer],
  ]
}
