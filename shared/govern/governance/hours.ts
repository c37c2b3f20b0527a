// Working hours: the value of the operator `within` on `request.time`.
import { type LocalDay, localTime } from './local-time.ts'
import type { Truth } from './truth.ts'

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
  /** Calendars whose dates count, too, whatever their weekday. */
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
