// Checks what a policy says of time, and warns of calendars that end soon.
import { iso } from '../../base/lib/clock.ts'
import { leavesOf, type Path, type Problem } from './conditions.ts'
import { type Calendars, calendarsOf, type Hours } from './hours.ts'
import type { PolicyBody } from './policy.ts'

/** When absent, every calendar exists, and no time is past. */
export type Times = { calendars?: Calendars | undefined; now?: number | undefined }

const AHEAD_MS = 90 * 86_400_000

/** The working hours of a policy, with their paths. */
export const hoursIn = ({ when, unless }: Pick<PolicyBody, 'when' | 'unless'>): { hours: Hours; path: Path }[] =>
  [...leavesOf(when, ['when']), ...leavesOf(unless, ['unless'])]
    .filter(({ leaf }) => leaf.op === 'within')
    .map(({ leaf, path }) => ({ hours: leaf.value as Hours, path }))

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
