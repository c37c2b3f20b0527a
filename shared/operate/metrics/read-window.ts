// Reads what a space has counted in a window: whole days, and hours and minutes at its edges and where nothing is rolled up yet,
// so that a window of any length costs a few range queries for all series together.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { entity, type Key } from '../../base/table/entity.ts'
import { positionOf } from '../../ledger/fold/folder.ts'
import type { Edges } from '../../base/lib/histogram.ts'
import {
  DAY,
  HOUR,
  METRICS_FOLDER,
  metricsKey,
  type Period,
  periodName,
  PERIODS,
  startOf,
  type Unrolled,
  unrolledIn,
} from './state.ts'

/** From an instant (ms, included) to another (excluded); both are whole minutes. */
export type Span = { from: number; until: number }

const sumItems = entity({
  name: 'METRIC',
  unbound: 'bounded',
  schema: z.looseObject({ sk: z.string() }),
  key: ({ pk, sk }: Key) => ({ pk, sk }),
})

/** Sums of series over a time. What was never counted is 0. */
export class Counts {
  readonly #sums = new Map<string, number>()

  add(series: string, by: number): void {
    this.#sums.set(series, this.sum(series) + by)
  }

  addAll(counts: Readonly<Record<string, number>>): void {
    for (const [series, by] of Object.entries(counts)) this.add(series, by)
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
export async function readWindow(ctx: Context, { from, until }: Span, known?: Unrolled): Promise<Counts> {
  const keptFrom = ctx.now() - PERIODS.M.keptDays * DAY
  const span = { from: from < keptFrom ? floor(from, HOUR) : from, until }
  const counts = new Counts()
  for (const item of await readParts(ctx, partsOf(span, known ?? (await unrolledNow(ctx))))) counts.addAll(item.counts)
  return counts
}

/** The counts of each minute, hour or day of a window in which there was anything, oldest first. */
export async function readPeriods(ctx: Context, period: Period, span: Span): Promise<{ at: number; counts: Counts }[]> {
  const { ms } = PERIODS[period]
  const found = new Map<number, Counts>()
  for (const item of await readParts(ctx, partsOf(span, await unrolledNow(ctx), period))) {
    const at = floor(item.at, ms)
    const counts = found.get(at) ?? new Counts()
    counts.addAll(item.counts)
    found.set(at, counts)
  }
  return [...found].map(([at, counts]) => ({ at, counts }))
}

const unrolledNow = async (ctx: Context): Promise<Unrolled> => unrolledIn((await positionOf(ctx, METRICS_FOLDER)).state)

const floor = (at: number, unit: number) => Math.floor(at / unit) * unit
const ceil = (at: number, unit: number) => Math.ceil(at / unit) * unit

type Part = Span & { period: Period }

const NONE: Unrolled = { hours: [], days: [] }
const FINER = { D: 'H', H: 'M' } as const

/**
 * Minutes up to the hour, hours up to the day, days, hours, minutes: each instant once. What is not rolled up yet is read from its
 * parts. `coarsest` is the longest period that the reader can use.
 */
export function partsOf({ from, until }: Span, unrolled: Unrolled = NONE, coarsest: Period = 'D'): Part[] {
  const parts: Part[] = []
  let at = from
  const go = (period: Period, to: number) => {
    if (to <= at) return
    parts.push({ period, from: at, until: to })
    at = to
  }
  if (coarsest !== 'M') go('M', Math.min(ceil(from, HOUR), until))
  if (coarsest === 'D') go('H', Math.min(ceil(at, DAY), floor(until, HOUR)))
  if (coarsest === 'D') go('D', floor(until, DAY))
  if (coarsest !== 'M') go('H', floor(until, HOUR))
  go('M', until)
  return joined(parts.flatMap((part) => split(part, unrolled)))
}

/** A part whose periods are all rolled up, or its runs of those that are and of the parts of those that are not. */
function split(part: Part, unrolled: Unrolled): Part[] {
  if (part.period === 'M') return [part]
  const { period } = part
  const { ms } = PERIODS[period]
  const starts = [...(period === 'D' ? unrolled.days : []), ...unrolled.hours].map((at) => floor(at, ms))
  const open = [...new Set(starts)].filter((at) => at >= part.from && at < part.until).toSorted((a, b) => a - b)
  const parts: Part[] = []
  let at = part.from
  for (const begin of open) {
    parts.push({ period, from: at, until: begin })
    parts.push(...split({ period: FINER[period], from: begin, until: begin + ms }, unrolled))
    at = begin + ms
  }
  return [...parts, { period, from: at, until: part.until }].filter((one) => one.from < one.until)
}

/** Neighbours of one period are one range. */
const joined = (parts: readonly Part[]): Part[] =>
  parts.reduce<Part[]>((all, part) => {
    const last = all.at(-1)
    return last?.period === part.period ? [...all.slice(0, -1), { ...last, until: part.until }] : [...all, part]
  }, [])

/** The counts of the period that begins at `at` (ms). */
type Item = { at: number; counts: Record<string, number> }

const readParts = async (ctx: Context, parts: readonly Part[]): Promise<Item[]> =>
  (await Promise.all(parts.map((part) => readItems(ctx, part)))).flat()

/** The items of periods in which there was anything, oldest first. */
export async function readItems({ table, space }: Context, { period, from, until }: Part): Promise<Item[]> {
  const range = { from: periodName(period, from), to: periodName(period, until - 1) }
  const items = await table.query(sumItems, { pk: metricsKey(space), ...range })
  return items.map((item) => ({ at: startOf(item.sk), counts: countsIn(item) }))
}

/** Names with `_` belong to the table. */
export const countsIn = (item: Record<string, unknown>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(item).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && !entry[0].startsWith('_'),
    ),
  )
