// Reads what a space has counted in a window: whole days, and hours and minutes at its edges, so that a window of any length
// costs at most five range queries for all series together.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { entity, type Key } from '../../base/table/entity.ts'
import type { Edges } from './histogram.ts'
import { DAY, HOUR, metricsKey, type Period, PERIODS, periodName, startOf } from './periods.ts'

/** From an instant (ms, included) to another (excluded); both are whole minutes. */
export type Span = { from: number; until: number }

const sumItems = entity({
  name: 'METRIC',
  schema: z.looseObject({ sk: z.string() }),
  key: ({ pk, sk }: Key) => ({ pk, sk }),
})

/** Sums of series over a time. What was never counted is 0. */
export class Counts {
  readonly #sums = new Map<string, number>()

  add(series: string, by: number): void {
    this.#sums.set(series, this.sum(series) + by)
  }

  sum(...series: string[]): number {
    return series.reduce((sum, name) => sum + (this.#sums.get(name) ?? 0), 0)
  }

  /** The buckets of a histogram by the first letters of their series. */
  histogram(prefix: string, edges: Edges): number[] {
    return Array.from({ length: edges.length + 1 }, (_, bucket) => this.sum(`${prefix}${bucket}`))
  }

  /** Series that begin so, with the rest of their names. */
  under(prefix: string): [rest: string, sum: number][] {
    return [...this.#sums]
      .filter(([series]) => series.startsWith(prefix))
      .map(([series, sum]) => [series.slice(prefix.length), sum])
  }

  /** All of them, for what compares. */
  all(): Record<string, number> {
    return Object.fromEntries([...this.#sums].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
}

/** The counts of a window in all. One that begins before minutes are kept begins at a whole hour. */
export async function readWindow(ctx: Context, { from, until }: Span): Promise<Counts> {
  const keptFrom = ctx.now() - PERIODS.M.keptDays * DAY
  const parts = partsOf({ from: from < keptFrom ? floor(from, HOUR) : from, until })
  const counts = new Counts()
  for (const { items } of await Promise.all(parts.map((part) => readItems(ctx, part)))) {
    for (const item of items) addTo(counts, item)
  }
  return counts
}

/** The counts of each minute, hour or day of a window in which there was anything, oldest first. */
export async function readPeriods(ctx: Context, period: Period, span: Span): Promise<{ at: number; counts: Counts }[]> {
  const { items } = await readItems(ctx, { period, ...span })
  return items.map((item) => {
    const counts = new Counts()
    addTo(counts, item)
    return { at: startOf(item.sk), counts }
  })
}

const floor = (at: number, unit: number) => Math.floor(at / unit) * unit
const ceil = (at: number, unit: number) => Math.ceil(at / unit) * unit

type Part = Span & { period: Period }

/** Minutes up to the hour, hours up to the day, days, hours, minutes: each instant once. */
export function partsOf({ from, until }: Span): Part[] {
  const parts: Part[] = []
  let at = from
  const go = (period: Period, to: number) => {
    if (to <= at) return
    parts.push({ period, from: at, until: to })
    at = to
  }
  go('M', Math.min(ceil(from, HOUR), until))
  go('H', Math.min(ceil(at, DAY), floor(until, HOUR)))
  go('D', floor(until, DAY))
  go('H', floor(until, HOUR))
  go('M', until)
  return parts
}

type Item = { sk: string } & Record<string, unknown>

async function readItems({ table, space }: Context, { period, from, until }: Part): Promise<{ items: Item[] }> {
  const range = { from: periodName(period, from), to: periodName(period, until - 1) }
  return { items: await table.query(sumItems, { pk: metricsKey(space), ...range }) }
}

/** Names with `_` belong to the table. */
function addTo(counts: Counts, item: Item): void {
  for (const [series, value] of Object.entries(item)) {
    if (typeof value === 'number' && !series.startsWith('_')) counts.add(series, value)
  }
}
