// Which figures the transitions of an approval state for everything that is counted.
import { ENDS, type Measure, place, SLA_RESULTS } from '../../base/catalog/measures.ts'
import type { Approval } from './approval.ts'

export const ASKED: Measure = ['a']

/** `now` (ms) is the moment of its end. */
export function ended({ requested_at }: Approval, how: (typeof ENDS)[number], now: number): Measure {
  const seconds = Math.max(0, Math.floor((now - Date.parse(requested_at)) / 1_000))
  return ['e', place(ENDS, how), seconds, place(SLA_RESULTS, 'none')]
}
