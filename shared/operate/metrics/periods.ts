// The items that hold what a space has counted: one for each minute, hour and day in which there was anything.
import type { Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { spaceKey } from '../../base/table/entity.ts'
import type { SumItem } from '../../base/kernel/count.ts'

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

/** The item of what was counted in the period of an instant (ms). */
export function sumItemAt(space: Space, period: Period, at: number): SumItem {
  const { keptDays } = PERIODS[period]
  const ttl = keptDays === undefined ? undefined : Math.floor((at + keptDays * DAY) / 1_000)
  return { pk: metricsKey(space), sk: periodName(period, at), type: 'METRIC', ttl }
}
