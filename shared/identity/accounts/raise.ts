// A raise says that a person could be acting through somebody else's account, because they invited it, gave it the right to
// decide on approvals, or could have taken it over (decision 0175). These rules are pure.
import * as z from 'zod'
import { DAY_MS, iso } from '../../base/lib/clock.ts'

export const Raise = z.object({
  by: z.string().describe('Who stands behind the account.'),
  at: z.string().describe('When they did it last.'),
})
export type Raise = z.output<typeof Raise>

const LASTS_MS = 30 * DAY_MS
const KEPT_MAX = 8

/** Takes the place of more people than an account keeps: then everybody counts as one who raised it. */
export const ANYBODY = '*'

/** Those of the last 30 days. */
export function raisesAt(raised: readonly Raise[] | undefined, now: number): Raise[] {
  const since = iso(now - LASTS_MS)
  return (raised ?? []).filter(({ at }) => at > since)
}

/**
 * The latest of each person. None is lost to a later one of somebody else, or a second puppet could take its maker off the
 * first one. Nobody raises their own account (`self`).
 */
export function withRaises(was: readonly Raise[], added: readonly Raise[], self?: string): Raise[] | undefined {
  const latest = new Map<string, string>()
  for (const { by, at } of [...was, ...added]) {
    if (by !== self && at > (latest.get(by) ?? '')) latest.set(by, at)
  }
  const all = [...latest].map(([by, at]) => ({ by, at }))
  if (all.length === 0) return undefined
  return all.length > KEPT_MAX ? [{ by: ANYBODY, at: latestOf(all) }] : all
}

const latestOf = (all: readonly Raise[]): string => all.map(({ at }) => at).reduce((a, b) => (a > b ? a : b))

/** Those of `persons` who are among the people that raised an account. */
export const among = (raised_by: readonly string[], persons: readonly string[]): string[] =>
  raised_by.includes(ANYBODY) ? [...persons] : persons.filter((person) => raised_by.includes(person))
