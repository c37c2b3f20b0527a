// Checks what a policy says of time: its working hours (the operator `within`), when it is in force, and the calendars that it names.
import { isTimeZone } from '../../../base/lib/time-zone.ts'
import { leavesOf, type Path, type Problem } from '../conditions/condition.ts'
import { type Calendars, calendarsOf, type Hours, minuteOf } from '../conditions/hours.ts'
import { isCalendarName } from '../stored-rules.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { PolicyBody } from '../policy.ts'

type Rule = { holds: (value: unknown) => boolean; message: string }

const isList = (value: unknown, most: number, holds: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length <= most && value.every(holds) && new Set(value).size === value.length

const FROM = /^(?:[01]\d|2[0-3]):[0-5]\d$/
const CALENDAR_NAMES: Rule = {
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
  except: CALENDAR_NAMES,
  only: CALENDAR_NAMES,
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

/** When absent, every calendar exists, and no time is past. */
export type Times = { calendars?: Calendars | undefined; now?: number | undefined }

const AHEAD_MS = 90 * 86_400_000

/** The working hours of a policy, with their paths. */
export const hoursIn = ({ when, unless }: Pick<PolicyBody, 'when' | 'unless'>): { hours: Hours; path: Path }[] =>
  [...leavesOf(when, ['when']), ...leavesOf(unless, ['unless'])]
    .filter(({ leaf }) => leaf.op === 'within')
    .map(({ leaf, path }) => ({ hours: leaf.value as Hours, path }))

/** The problems of the time in which a policy is in force, and names of calendars that do not exist. */
export function* timeProblems(body: PolicyBody, { calendars, now }: Times): Generator<Problem> {
  const { valid_from, expires_at } = body
  if (expires_at !== undefined && valid_from !== undefined && expires_at <= valid_from)
    yield { path: ['expires_at'], message: 'must be after valid_from' }
  if (expires_at !== undefined && now !== undefined && expires_at <= iso(now))
    yield { path: ['expires_at'], message: 'must be in the future' }
  if (!calendars) return
  for (const { hours, path } of hoursIn(body)) {
    for (const member of ['except', 'only'] as const) {
      for (const [i, name] of (hours[member] ?? []).entries()) {
        if (!calendars.has(name))
          yield { path: [...path, 'value', member, i], message: 'is no calendar of this tenant' }
      }
    }
  }
}

/** Warns of the calendars of a policy that end soon. */
export function timeWarnings(body: PolicyBody, { calendars = new Map(), now = 0 }: Times): string[] {
  const names = new Set(hoursIn(body).flatMap(({ hours }) => calendarsOf(hours)))
  return [...names].flatMap((name) => endWarnings(name, [...(calendars.get(name) ?? [])], now))
}

/** Warns of a calendar without dates for the next 90 days. */
export function endWarnings(name: string, dates: readonly string[], now: number): string[] {
  const last = dates.toSorted().at(-1)
  if (last !== undefined && last >= iso(now + AHEAD_MS).slice(0, 10)) return []
  const ends = last === undefined ? 'has no dates' : `has no dates after ${last}`
  return [`The calendar ${name} ${ends}. Add the dates of the coming year.`]
}
