// When a failed delivery is tried again (API specification): Fibonacci multiples of a base.

import { FIBONACCI_RETRIES } from '../../base/limits/published.ts'

export const RETRY_BASE_SECONDS = 60

/** Attempts after the first one. */
export const MAX_RETRIES = FIBONACCI_RETRIES.length

/**
 * Seconds to wait after a failed attempt (0 … 6) by the schedule; undefined after the last one. A local runtime
 * sets a shorter base in WEBHOOK_RETRY_BASE_SECONDS and builds its state machine from it, too.
 */
export function rowSeconds(attempt: number): number | undefined {
  const multiple = FIBONACCI_RETRIES[attempt]
  return multiple && multiple * Number(process.env.WEBHOOK_RETRY_BASE_SECONDS ?? RETRY_BASE_SECONDS)
}
