// Wall times of a time zone. Node 24 has no Temporal, and its polyfills cost more start-up time than these lines.
import { DAY_MS } from '../lib/clock.ts'
import { memory } from '../lib/memory.ts'

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

/** What clocks in the zone show at an instant (ms), as if it were UTC (ms). */
export function wallOf(zone: string, instant: number): number {
  const parts = formatOf(zone).formatToParts(instant)
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  const second = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return second + (((instant % 1_000) + 1_000) % 1_000)
}

/**
 * The instant (ms) at which clocks show a wall time. One that a change of the clocks leaves out moves forward by the gap,
 * and of one that they show twice the first counts (`compatible` of Temporal).
 */
export function instantOf(zone: string, wall: number): number {
  const offsetAt = (instant: number) => wallOf(zone, instant) - instant
  const before = wall - offsetAt(wall - DAY_MS)
  const after = wall - offsetAt(wall + DAY_MS)
  return wallOf(zone, before) !== wall && wallOf(zone, after) === wall ? after : before
}
