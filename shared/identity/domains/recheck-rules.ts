import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { Claim } from './domain.ts'
import type { Found } from './record.ts'

/** A domain lapses after this many consecutive daily checks without the record. */
export const MISSES_MAX = 3

/** The day (yyyy-mm-dd) after an instant (ms). */
export const nextDay = (now: number): string => iso(now + DAY_MS).slice(0, 10)

/** The claim after a check at `now` (ms) with an answer. A match verifies it again; several misses make it lapse. */
export function claimAfterCheck(claim: Claim, found: Found, now: number): Claim {
  const next = { ...claim, checked_at: iso(now), due: nextDay(now) }
  if (found === 'match') return { ...next, misses: 0, status: 'verified', lapsed_at: undefined }
  const misses = claim.misses + 1
  if (claim.status === 'lapsed' || misses < MISSES_MAX) return { ...next, misses }
  return { ...next, misses, status: 'lapsed', lapsed_at: iso(now) }
}
