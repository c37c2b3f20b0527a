// Working hours (the value of the operator `within` on `request.time`), and the local time of an instant in a time zone.
import type { Truth } from '../decide/evaluation.ts'
import { DAY_MS, iso, MINUTE_MS } from '../../../base/lib/clock.ts'
import { memory } from '../../../base/lib/memory.ts'
import { calendarOf } from '../decide/policy-facts.ts'

export type Hours = {
  zone: string
  /** 1 (Monday) to 7. */
  days: number[]
  /** `hh:mm`, inclusive. */
  from: string
  /** `hh:mm`, exclusive; up to `24:00`. Before `from`: the hours end on the day after. */
  to: string
  /** Calendars whose dates never count. */
  except?: string[] | undefined
  /** Calendars whose dates count as well, on any weekday. */
  only?: string[] | undefined
}

/** The dates of each calendar of the tenant, as `yyyy-mm-dd`. */
export type Calendars = ReadonlyMap<string, ReadonlySet<string>>

export const calendarsOf = ({ except = [], only = [] }: Hours): string[] => [...except, ...only]

export function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number)
  return (hours ?? 0) * 60 + (minutes ?? 0)
}

/** Tests an instant in ms. Unknown for a calendar that does not exist. */
export function withinTest(hours: Hours, calendars: Calendars): (at: unknown) => Truth {
  const { zone, days, except = [], only = [] } = hours
  const [from, to] = [minuteOf(hours.from), minuteOf(hours.to)]
  if (calendarsOf(hours).some((name) => !calendars.has(name))) return () => undefined
  const isIn = (names: readonly string[], date: string) => names.some((name) => calendars.get(name)?.has(date))
  const counts = ({ date, weekday }: LocalDay) => !isIn(except, date) && (days.includes(weekday) || isIn(only, date))
  return (at) => {
    if (typeof at !== 'number') return undefined
    const { minute, today, yesterday } = localTime(zone, at)
    if (from < to) return from <= minute && minute < to && counts(today)
    return (from <= minute && counts(today)) || (minute < to && counts(yesterday))
  }
}

/**
 * `Intl` needs microseconds for each use, so the offset of a zone is remembered for each quarter of an hour: no zone changes its clocks
 * at another time.
 */
const QUARTER_MS = 15 * MINUTE_MS
const DAY_MINUTES = 1_440

const formats = /* @__PURE__ */ memory<Intl.DateTimeFormat>(100)
const offsets = /* @__PURE__ */ memory<number>(2_000)

/** A local day: its date as `yyyy-mm-dd`, and its weekday 1..7 (Monday 1). */
type LocalDay = { date: string; weekday: number }

/** `minute` of the day, 0..1439. */
export type LocalTime = { minute: number; today: LocalDay; yesterday: LocalDay }

/** `at` in ms. Every instant has exactly one local time, so changes of the clocks need no rule. */
export function localTime(zone: string, at: number): LocalTime {
  const local = at + offsetAt(zone, at)
  return {
    minute: Math.floor(local / MINUTE_MS) % DAY_MINUTES,
    today: dayOf(local),
    yesterday: dayOf(local - DAY_MS),
  }
}

const dayOf = (local: number): LocalDay => ({ date: iso(local).slice(0, 10), weekday: calendarOf(local).weekday })

function offsetAt(zone: string, at: number): number {
  const name = `${zone}/${Math.floor(at / QUARTER_MS)}`
  const offset = offsets.get(name) ?? readOffset(zone, at)
  offsets.set(name, offset)
  return offset
}

/** Milliseconds east of UTC, from a text such as `GMT+05:30`; `GMT` alone is UTC. */
function readOffset(zone: string, at: number): number {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  formats.set(zone, format)
  const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(at)) ?? []
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS
  return sign === '-' ? -size : size
}
