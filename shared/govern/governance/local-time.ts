// The local time of an instant in a time zone. `Intl` needs microseconds for each use, so the offset of a zone is remembered for
// each quarter of an hour: no zone changes its clocks at another time.
import { DAY_MS, MINUTE_MS } from '../../base/lib/durations.ts'
import { iso } from '../../base/lib/clock.ts'
import { memory } from '../../base/lib/memory.ts'
import { calendarOf } from './facts.ts'

const QUARTER_MS = 15 * MINUTE_MS
const DAY_MINUTES = 1_440

const formats = /* @__PURE__ */ memory<Intl.DateTimeFormat>(100)
const offsets = /* @__PURE__ */ memory<number>(2_000)

/** A local day: its date as `yyyy-mm-dd`, and its weekday 1..7 (Monday 1). */
export type LocalDay = { date: string; weekday: number }

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
