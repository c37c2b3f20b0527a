// What the folder of the metrics remembers beside its position: how far it has read the other sources, when each series last grew,
// and which hours and days something was counted in that their items do not hold yet.
import type { FolderState } from '../../ledger/fold/folder.ts'
import { DAY, HOUR, MINUTE } from './periods.ts'

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
