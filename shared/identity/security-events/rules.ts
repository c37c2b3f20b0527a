// When failed sign-ins are too many, and what follows. Pure: counts and instants (ms) come in.
const MINUTE_MS = 60_000

/** Failures of one account within the span: so many make it wait, so many block it. */
export const FAILURES_DELAY = 5
export const FAILURES_BLOCK = 10
export const ACCOUNT_BLOCK_MS = 30 * MINUTE_MS

/** Different accounts failing from one source within the span. */
export const ACCOUNTS_BLOCK = 20
export const SOURCE_BLOCK_MS = 60 * MINUTE_MS

/** Wrong codes of one account within the span. */
export const CODES_BLOCK = 10
export const FACTORS_BLOCK_MS = 30 * MINUTE_MS

/** Networks from which an account signed in this lately are spared when it is blocked. */
export const KNOWN_NETWORK_MS = 30 * 1_440 * MINUTE_MS

/** What was not seen for so long is new. */
export const FORGOTTEN_AFTER_MS = 90 * 1_440 * MINUTE_MS

/** The instant before which nobody may try again after these failures: 2^(n-5) seconds after the n-th. */
export function waitUntil(failures: readonly number[]): number {
  const last = failures.at(-1)
  if (last === undefined || failures.length < FAILURES_DELAY) return 0
  return last + 1_000 * 2 ** (failures.length - FAILURES_DELAY)
}

/** What is unusual about a sign-in with a right password. */
export type Signs = { failures: number; newDevice: boolean; newCountry: boolean; impossibleTravel: boolean }

/** 0 to 100: the worst of what was found, not the sum. */
export function scoreOf({ failures, newDevice, newCountry, impossibleTravel }: Signs): number {
  return Math.max(Math.min(50, 10 * failures), newDevice ? 20 : 0, newCountry ? 40 : 0, impossibleTravel ? 80 : 0)
}
