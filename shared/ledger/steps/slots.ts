// When a space takes its hourly and daily steps: at a minute of its own, so that the spaces spread over the hour and the day.
import type { Period } from '../../base/catalog/steps.ts'
import type { Space } from '../../base/context.ts'
import { sha256 } from '../../base/lib/hash.ts'

const MINUTE_MS = 60_000

/** `caughtUp`: so many slots are made up for after a gap. */
export const PERIODS = {
  hour: { minutes: 60, caughtUp: 24 },
  day: { minutes: 1_440, caughtUp: 8 },
} as const satisfies Record<Period, object>

/** The space's newest slot (ms) at an instant (ms), which may be the slot itself. */
export function newestSlot({ tenant_id, mode }: Space, period: Period, now: number): number {
  const { minutes } = PERIODS[period]
  const offset = (sha256(`${tenant_id}#${mode}`).readUInt16BE(0) % minutes) * MINUTE_MS
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
