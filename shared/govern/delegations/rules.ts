// What a delegation is at an instant, and what a new one may be. Pure.
import { DAY_MS } from '../../base/lib/clock.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import type { Delegation } from './delegation.ts'

export const DELEGATION_STATUSES = ['scheduled', 'active', 'ended'] as const
export type DelegationStatus = (typeof DELEGATION_STATUSES)[number]

type Times = Pick<Delegation, 'from_at' | 'until' | 'ended_at'>

/** By its own times; whether its people still have the right is another question. */
export function statusAt({ from_at, until, ended_at }: Times, now: string): DelegationStatus {
  if (ended_at !== undefined || now >= until) return 'ended'
  return now < from_at ? 'scheduled' : 'active'
}

/** Without nodes it is for all of them. */
export const covers = ({ node_ids }: Pick<Delegation, 'node_ids'>, node_id: string): boolean =>
  node_ids === undefined || node_ids.includes(node_id)

const PAST_MS = 60_000
const AHEAD_MS = 90 * DAY_MS
const LONGEST_MS = 30 * DAY_MS
/** No delegation lasts longer after it was made. */
export const LATEST_END_MS = AHEAD_MS + LONGEST_MS
const NOT_ENDED_MAX = 10

type Window = { from: number; until: number }

/** Throws 422 for a time that does not begin soon, or lasts too long. Instants in ms. */
export function mustBeWindow({ from, until }: Window, now: number): void {
  if (from < now - PAST_MS) throw invalid(['from_at'], 'must not be in the past')
  if (from > now + AHEAD_MS) throw invalid(['from_at'], 'must be within 90 days')
  if (until <= from || until <= now) throw invalid(['until'], 'must be later than the beginning, and in the future')
  if (until > from + LONGEST_MS) throw invalid(['until'], 'must be within 30 days of the beginning')
}

/** Throws 409 when the person has too many delegations, or one to the same person for a part of the same time. */
export function mustFitBeside(
  next: Pick<Delegation, 'to_user_id' | 'from_at' | 'until'>,
  others: readonly (Times & Pick<Delegation, 'id' | 'to_user_id'>)[],
  now: string,
): void {
  const open = others.filter((other) => statusAt(other, now) !== 'ended')
  if (open.length >= NOT_ENDED_MAX)
    throw conflict(`You have ${NOT_ENDED_MAX} delegations that have not ended, which is the limit. End one first.`)
  const same = open.find(
    ({ to_user_id, from_at, until }) => to_user_id === next.to_user_id && from_at < next.until && next.from_at < until,
  )
  if (same) throw conflict(`You have already delegated to this person for a part of that time (${same.id}).`)
}
