// Limits for failed sign-ins, and scores of unusual ones. Pure.

import { MINUTE_MS } from '../../base/lib/clock.ts'

/** Failures of one account within the span: how many delay it, how many block it. */
export const FAILURES_DELAY = 5
export const FAILURES_BLOCK = 10
export const ACCOUNT_BLOCK_MS = 30 * MINUTE_MS

/** How many different accounts that fail from one source within the span block the source. */
export const ACCOUNTS_BLOCK = 20
export const SOURCE_BLOCK_MS = 60 * MINUTE_MS

/** How many wrong codes of one account within the span block its factors. */
export const CODES_BLOCK = 10
export const FACTORS_BLOCK_MS = 30 * MINUTE_MS

/** A network from which an account signed in within this time stays open when the account is blocked. */
export const KNOWN_NETWORK_MS = 30 * 1_440 * MINUTE_MS

/** A device or country that was not seen for this long counts as new. */
export const FORGOTTEN_AFTER_MS = 90 * 1_440 * MINUTE_MS

/** The instant before which nobody may try again after these failures: 2^(n-5) seconds after the n-th. */
export function waitUntil(failures: readonly number[]): number {
  const last = failures.at(-1)
  if (last === undefined || failures.length < FAILURES_DELAY) return 0
  return last + 1_000 * 2 ** (failures.length - FAILURES_DELAY)
}

/** What is unusual about a sign-in with a right password. */
export type Signs = { failures: number; newDevice: boolean; newCountry: boolean; impossibleTravel: boolean }

/** 0 to 100: the worst of the signs, not their sum. */
export function scoreOf({ failures, newDevice, newCountry, impossibleTravel }: Signs): number {
  return Math.max(Math.min(50, 10 * failures), newDevice ? 20 : 0, newCountry ? 40 : 0, impossibleTravel ? 80 : 0)
}
