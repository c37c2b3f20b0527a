// The findings of the kinds of checks: over a population, a setting, or accepted evidence. Each says what follows when there is
// nothing to check, when all members hold, and when some do not.
import { HOUR_MS } from '../../../base/lib/clock.ts'
import { type Finding, noData, notApplicable, stateCheck, type StateCheck } from '../check.ts'

const SAMPLE = 20

type Counts = { numerator: number; denominator: number; failing?: readonly string[] }

export function finding(holds: boolean, detail: string, { failing = [], ...counts }: Counts): Finding {
  const ids = [...new Set(failing)].toSorted()
  return {
    status: holds ? 'pass' : 'fail',
    detail,
    ...counts,
    failing_ids: ids.slice(0, SAMPLE),
    failing_count: ids.length,
  }
}

type Population<M> = {
  members: readonly M[]
  /** Whom the sentence is about, and what it says of those that hold: `8 of 10 active API keys end in time.` */
  who: string
  what: string
  holds: (member: M) => boolean
  /** The ids to report where a member does not hold; by default that of the member. */
  names?: (member: M) => readonly string[]
  /** How many of a hundred must hold. */
  percent?: number
}

/** Every member holds, or so many of a hundred. Nobody there is no data: it must not look as if somebody had done something. */
export function population<M extends { id: string }>(of: Population<M>): Finding {
  const { members, who, what, holds, names = ({ id }) => [id], percent = 100 } = of
  if (members.length === 0) return noData(`There are no ${who}.`)
  const failing = members.filter((member) => !holds(member))
  const held = members.length - failing.length
  const asked = percent < 100 ? `; ${percent} % are asked for` : ''
  return finding(held * 100 >= members.length * percent, `${held} of ${members.length} ${who} ${what}${asked}.`, {
    numerator: held,
    denominator: members.length,
    failing: failing.flatMap(names),
  })
}

/** `detail` names the present setting. `offered`: false where the plan does not have it. */
type Setting = { holds: boolean; detail: string; offered?: boolean } & Partial<Counts>

/** A missing setting is off. */
export function setting({ holds, detail, offered = true, ...counts }: Setting): Finding {
  if (!offered) return notApplicable('The plan of the tenant does not include this.')
  return finding(holds, detail, { numerator: holds ? 1 : 0, denominator: 1, ...counts })
}

/** Accepted, valid evidence of a kind that was collected in the last days. */
export const evidence = (kind: string, withinDays: number): StateCheck =>
  stateCheck(['submitted'], ({ submitted }, { now }) => {
    const pieces = submitted.filter((one) => one.kind === kind)
    const fresh = pieces.filter(({ collected_at }) => isWithin(collected_at, days(withinDays), now))
    const one = { denominator: 1, failing: [] }
    if (fresh.length > 0)
      return finding(true, `A ${kind} of the last ${withinDays} days is accepted.`, { numerator: 1, ...one })
    const [newest] = pieces.map(({ collected_at }) => collected_at.slice(0, 10)).toSorted((a, b) => (a < b ? 1 : -1))
    const last = newest === undefined ? 'None is accepted and valid.' : `The newest is of ${newest}.`
    return finding(false, `No ${kind} of the last ${withinDays} days is accepted. ${last}`, { numerator: 0, ...one })
  })

export const minutes = (count: number): number => count * 60_000
export const hours = (count: number): number => count * HOUR_MS
export const days = (count: number): number => count * 24 * HOUR_MS

/** How long ago (ms); NaN for text that is no time, which is neither within a span nor beyond it. */
const age = (at: string, now: number): number => now - Date.parse(at)

export const isWithin = (at: string, span: number, now: number): boolean => age(at, now) <= span
export const isBeyond = (at: string, span: number, now: number): boolean => age(at, now) > span
