// The items with the sums of a space, one for each minute, hour and day in which something happened; and what the folder of the
// metrics remembers beside its position: how far it has read the other sources, when each series last grew, and the hours and days
// whose items lack something that was counted.
import { type FolderState, positionOf } from '../../ledger/fold/folder.ts'
import type { Context, Space } from '../../base/context.ts'
import { tallies, tallyKey } from '../../base/limits/tally.ts'
import { rateWindows, rateWindowsKey, windowMinute } from '../../base/limits/window.ts'
import { iso } from '../../base/lib/clock.ts'
import { countedUntil } from '../../ledger/fold/fold.ts'
import { spaceKey } from '../../base/table/entity.ts'
import type { SumItem } from '../../base/kernel/count.ts'

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

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** `letters` of an ISO instant name the period; it is kept for so many days, or as long as the tenant. */
export const PERIODS = {
  M: { ms: MINUTE, letters: 16, keptDays: 35 },
  H: { ms: HOUR, letters: 13, keptDays: 400 },
  D: { ms: DAY, letters: 10, keptDays: undefined },
} as const

export type Period = keyof typeof PERIODS

export const metricsKey = (space: Space): string => spaceKey(space, 'METRIC')

export const periodName = (period: Period, at: number): string =>
  `${period}#${iso(at).slice(0, PERIODS[period].letters)}`

/** When (ms) the period of a sort key begins. */
export const startOf = (sk: string): number => {
  const name = sk.slice(2)
  return Date.parse(`${name}${'2000-01-01T00:00:00.000Z'.slice(name.length)}`)
}

/** The item with the sums of the period that an instant (ms) belongs to. */
export function sumItemAt(space: Space, period: Period, at: number): SumItem {
  const { keptDays } = PERIODS[period]
  const ttl = keptDays === undefined ? undefined : Math.floor((at + keptDays * DAY) / 1_000)
  return { pk: metricsKey(space), sk: periodName(period, at), type: 'METRIC', ttl }
}

export const METRICS_FOLDER = 'metrics'

/** Up to when (ms) the minutes of rate windows and tallies are counted. */
export const measuredUntil = ({ until }: FolderState): number => (typeof until === 'number' ? until : 0)

/** The last minute (ms) in which a series grew: rules look only at what can have changed. */
export const seenIn = (state: FolderState): Record<string, number> => (state.seen ??= {}) as Record<string, number> // written by `notice` only

/** Series of single nodes, filters and kinds of personal data are too many to remember. */
const REMEMBERED = /^([ge]\d+$|rq$|rb$|dl_|[racjv]\.)/

export function notice(state: FolderState, at: number, series: string): void {
  const seen = seenIn(state)
  if (REMEMBERED.test(series)) seen[series] = Math.max(seen[series] ?? 0, Math.floor(at / MINUTE) * MINUTE)
}

/** Begins (ms) of hours and days. They are read from their parts. */
export type Unrolled = { hours: readonly number[]; days: readonly number[] }

type Name = keyof Unrolled

const LENGTH = { hours: HOUR, days: DAY } as const

/** Stored as numbers of hours and days since the epoch, because the item of the position is written each minute. */
const stored = (state: FolderState, name: Name): number[] => (state[name] ??= []) as number[] // written here only

export const unrolledIn = (state: FolderState): Unrolled => ({
  hours: stored(state, 'hours').map((hour) => hour * HOUR),
  days: stored(state, 'days').map((day) => day * DAY),
})

/** Notes that the item of the hour or day of an instant (ms) is to be made anew. */
export function mustRoll(state: FolderState, name: Name, at: number): void {
  const period = Math.floor(at / LENGTH[name])
  const list = stored(state, name)
  if (!list.includes(period)) list.push(period)
}

export function hasRolled(state: FolderState, name: Name, at: number): void {
  state[name] = stored(state, name).filter((period) => period !== Math.floor(at / LENGTH[name]))
}
