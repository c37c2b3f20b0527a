// Time that counts: what lies inside the opening hours of a calendar, as elapsed time and not as what clocks show.
import { DAY_MS, MINUTE_MS } from '../lib/clock.ts'
import { isTimeZone } from '../lib/time-zone.ts'
import * as z from 'zod'
import { memory } from '../lib/memory.ts'

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/

export const BusinessHours = z.object({
  timezone: z
    .string()
    .refine(isTimeZone, 'is not a time zone')
    .describe('A name from the IANA time zone database, or an offset.'),
  /** 1 is Monday, 7 is Sunday. */
  days: z.array(z.int().min(1).max(7)).min(1).describe('Days of the week, 1 is Monday.'),
  /** `HH:MM` on the wall; `end` may be `24:00`, and no time counts from it on. */
  start: z.string().regex(TIME).describe('Beginning of the hours on each day, `HH:MM`.'),
  end: z.string().regex(TIME).describe('End of the hours on each day, `HH:MM`; `24:00` is midnight.'),
  /** `yyyy-mm-dd` */
  holidays: z.array(z.iso.date()).describe('Dates on which time does not count.'),
})
export type BusinessHours = z.output<typeof BusinessHours>

/** Without hours every instant counts. */
export type Calendar = BusinessHours | undefined

/** The instant (ms) at which so many milliseconds that count have passed since another; that one itself for 0. */
export function add(calendar: Calendar, from: number, ms: number): number {
  if (!calendar || ms <= 0) return from + Math.max(0, ms)
  let left = ms
  for (const { open, close } of openings(calendar, from)) {
    if (left <= close - open) return open + left
    left -= close - open
  }
  throw new Error('a calendar ends')
}

/** How many milliseconds count from one instant (ms) to another; 0 when that one is earlier. */
export function between(calendar: Calendar, from: number, to: number): number {
  if (!calendar || to <= from) return Math.max(0, to - from)
  let sum = 0
  for (const { open, close } of openings(calendar, from)) {
    if (open >= to) break
    sum += Math.min(close, to) - open
  }
  return sum
}

/** The open hours after an instant (ms), day after day without end. */
function* openings({ timezone, days, start, end, holidays }: BusinessHours, from: number) {
  let reached = from
  for (let day = floorDay(wallOf(timezone, from)); ; day += DAY_MS) {
    if (!days.includes(new Date(day).getUTCDay() || 7) || holidays.includes(dateOf(day))) continue
    const open = Math.max(reached, instantOf(timezone, day + msOf(start)))
    const close = instantOf(timezone, day + msOf(end))
    if (close <= open) continue
    yield { open, close }
    reached = close // a day that the zone leaves out would be counted with the next one
  }
}

const floorDay = (wall: number) => wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS)
const dateOf = (day: number) => new Date(day).toISOString().slice(0, 10)
const msOf = (time: string) => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * MINUTE_MS

/** Node 24 has no Temporal, and its polyfills cost more start-up time than these lines. */
const formats = memory<Intl.DateTimeFormat>(1_000)

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}

/** The time that clocks in the zone show at an instant (ms), as if it were UTC (ms). */
function wallOf(zone: string, instant: number): number {
  const parts = formatOf(zone).formatToParts(instant)
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  const second = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return second + (((instant % 1_000) + 1_000) % 1_000)
}

/**
 * The instant (ms) at which clocks show a wall time. One that a change of the clocks leaves out moves forward by the gap,
 * and of one that they show twice the first counts (`compatible` of Temporal).
 */
function instantOf(zone: string, wall: number): number {
  const offsetAt = (instant: number) => wallOf(zone, instant) - instant
  const before = wall - offsetAt(wall - DAY_MS)
  const after = wall - offsetAt(wall + DAY_MS)
  return wallOf(zone, before) !== wall && wallOf(zone, after) === wall ? after : before
}
