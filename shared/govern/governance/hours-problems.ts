// Checks the value of the operator `within`.
import { isTimeZone } from '../../base/lib/time-zone.ts'
import type { Path, Problem } from './conditions.ts'
import { minuteOf } from './hours.ts'
import { isCalendarName } from './stored-calendar.ts'

type Rule = { holds: (value: unknown) => boolean; message: string }

const isList = (value: unknown, most: number, holds: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length <= most && value.every(holds) && new Set(value).size === value.length

const FROM = /^(?:[01]\d|2[0-3]):[0-5]\d$/
const calendars: Rule = {
  holds: (value) => value === undefined || isList(value, 10, isCalendarName),
  message: 'must be a list of at most 10 names of calendars',
}

const RULES: Record<string, Rule> = {
  zone: { holds: isTimeZone, message: 'must be a time zone such as Europe/Berlin or UTC' },
  days: {
    holds: (value) => isList(value, 7, (day) => Number.isInteger(day) && Number(day) >= 1 && Number(day) <= 7),
    message: 'must be a list of weekdays from 1 (Monday) to 7',
  },
  from: { holds: (value) => FROM.test(String(value)), message: 'must be a time such as 08:00' },
  to: {
    holds: (value) => FROM.test(String(value)) || value === '24:00',
    message: 'must be a time such as 18:00, or 24:00',
  },
  except: calendars,
  only: calendars,
}

/** The problems of working hours; none when they are valid. */
export function* hoursProblems(value: unknown, path: Path): Generator<Problem> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield { path, message: 'must be hours: zone, days, from, to, and the calendars except and only' }
    return
  }
  const given = new Map<string, unknown>(Object.entries(value))
  for (const name of given.keys()) {
    if (!Object.hasOwn(RULES, name)) yield { path: [...path, name], message: 'is not part of working hours' }
  }
  let isReadable = true
  for (const [name, { holds, message }] of Object.entries(RULES)) {
    if (holds(given.get(name))) continue
    isReadable = false
    yield { path: [...path, name], message }
  }
  if (!isReadable) return
  const [from, to] = [minuteOf(String(given.get('from'))), minuteOf(String(given.get('to')))]
  if (from === to) yield { path: [...path, 'to'], message: 'must differ from the start' }
  const isEmpty = (name: string) => ((given.get(name) as unknown[] | undefined) ?? []).length === 0
  if (isEmpty('days') && isEmpty('only')) yield { path: [...path, 'days'], message: 'must name a day' }
}
