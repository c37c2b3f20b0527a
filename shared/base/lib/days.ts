// UTC days and months between instants.
import { DAY_MS, iso } from './clock.ts'

/** The UTC day (`yyyy-mm-dd`) of an instant (ms). */
export const dayOf = (at: number): string => iso(at).slice(0, 10)

/** The UTC days from one instant (ms) to another, both included, oldest first. */
export function daysBetween(from: number, to: number): string[] {
  const first = Math.floor(from / DAY_MS)
  const count = Math.max(0, Math.floor(to / DAY_MS) - first + 1)
  return Array.from({ length: count }, (_, index) => dayOf((first + index) * DAY_MS))
}

/** Where (ms) a window of the last so many UTC days begins, today included. */
export const windowStart = (days: number, now: number): number => (Math.floor(now / DAY_MS) - days + 1) * DAY_MS

/** Every month (`yyyy-mm`) from one instant back to an earlier one, newest first. */
export function monthsBack(from: number, to: number): string[] {
  const months: string[] = []
  const date = new Date(from)
  date.setUTCDate(1)
  while (date.getTime() >= to || iso(date.getTime()).slice(0, 7) === iso(to).slice(0, 7)) {
    months.push(iso(date.getTime()).slice(0, 7))
    date.setUTCMonth(date.getUTCMonth() - 1)
  }
  return months
}
