// When a space takes its hourly and daily steps.
import { MINUTE_MS } from '../../base/lib/clock.ts'
import type { Space } from '../../base/context.ts'
import { ownMinute } from '../../base/table/due.ts'

/** `caughtUp`: so many slots are made up for after a gap. */
export const PERIODS = {
  hour: { minutes: 60, caughtUp: 24 },
  day: { minutes: 1_440, caughtUp: 8 },
} as const

export type Period = keyof typeof PERIODS
export const periods = Object.keys(PERIODS) as Period[] // keys of the constant itself

/** The space's newest slot (ms) at an instant (ms), which may be the slot itself. */
export function newestSlot(space: Space, period: Period, now: number): number {
  const { minutes } = PERIODS[period]
  const offset = (ownMinute(space) % minutes) * MINUTE_MS
  const length = minutes * MINUTE_MS
  return Math.floor((now - offset) / length) * length + offset
}

/** The slots after the last one that is done, oldest first. Only the newest where none was ever done. */
export function openSlots(
  space: Space,
  period: Period,
  { done, now }: { done: number | undefined; now: number },
): number[] {
  const { minutes, caughtUp } = PERIODS[period]
  const newest = newestSlot(space, period, now)
  const length = minutes * MINUTE_MS
  const count = done === undefined ? 1 : Math.max(0, Math.round((newest - done) / length))
  return Array.from({ length: Math.min(count, caughtUp) }, (_, back) => newest - back * length).toReversed()
}
