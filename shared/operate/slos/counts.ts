// The events that the metrics counted for an objective, over spans that end with the last measured minute; and the names of series
// under a filter. Those are counted from the moment on at which a definition first asks for them.
import type { Context } from '../../base/context.ts'
import { ratioOf } from '../metrics/indicators.ts'
import { MINUTE, type Unrolled } from '../metrics/state.ts'
import { Counts as Series, readWindow } from '../metrics/read-window.ts'
import { burnRows, type Counts, type CountsOver } from './budget.ts'
import { LATENCY_MS, type Sli } from './slo.ts'
import { canonicalJson, given, sha256Hex } from '../../base/lib/json.ts'

/** Reads each span of time once, however many objectives need it. */
export class WindowReader {
  readonly #ctx: Context
  /** The end (ms) of the last measured minute. */
  readonly asOf: number
  readonly #unrolled: Unrolled | undefined
  readonly #read = new Map<number, Promise<Series>>()

  constructor(ctx: Context, asOf: number, unrolled?: Unrolled) {
    this.#ctx = ctx
    this.asOf = asOf
    this.#unrolled = unrolled
  }

  /** All series of the last so many minutes. */
  last(minutes: number): Promise<Series> {
    const known = this.#read.get(minutes)
    if (known) return known
    const reading = readWindow(this.#ctx, { from: this.asOf - minutes * MINUTE, until: this.asOf }, this.#unrolled)
    this.#read.set(minutes, reading)
    return reading
  }
}

/** Good and bad events of an indicator. What an area has not counted yet is nothing. */
export function countsOf(series: Series, sli: Sli): Counts {
  const { metric, name = '', threshold_ms = LATENCY_MS } = sli
  if (metric === 'sync_success') return { total: 0, bad: 0 }
  const of = seriesOf(series, sli)
  const { good, total } = ratioOf(
    of,
    metric === 'custom' ? { metric, name } : metric === 'governance_latency' ? { metric, threshold_ms } : { metric },
  )
  return { total, bad: total - good }
}

/** Reads what the budget and the burn rate of an objective ask about. */
export async function countsOver(reader: WindowReader, sli: Sli, spans: readonly number[]): Promise<CountsOver> {
  const found = new Map<number, Counts>()
  for (const minutes of new Set(spans)) found.set(minutes, countsOf(await reader.last(minutes), sli))
  return (minutes) => {
    const counts = found.get(minutes)
    if (!counts) throw new Error(`nobody read the last ${minutes} minutes`)
    return counts
  }
}

export const burnSpans = (windowMinutes: number): number[] =>
  burnRows(windowMinutes).flatMap(({ long, short }) => [long, short])

/** The most series of one node, action or tier that a space may have. */
export const FILTERED_MAX = 50

type Filter = NonNullable<Sli['filter']>

/** Beginning of the names of all series under a filter; stored, so it never changes. */
export const filterPrefix = (filter: Filter): string => `x${sha256Hex(canonicalJson(given(filter))).slice(0, 8)}.`

export type Facts = { node_id: string; action_id: string; tier: string }

export const matches = (filter: Filter, facts: Facts): boolean =>
  (['node_id', 'action_id', 'tier'] as const).every((name) => (filter[name] ?? facts[name]) === facts[name])

/** The series of an indicator: those under its filter by their usual names, or all. */
function seriesOf(series: Series, { filter }: Pick<Sli, 'filter'>): Series {
  if (!filter) return series
  const under = new Series()
  for (const [name, sum] of series.under(filterPrefix(filter))) under.add(name, sum)
  return under
}
