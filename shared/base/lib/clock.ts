// The only source of real time and real randomness. All other code is passed a clock and a source of bytes.
import { randomFillSync } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { RandomBytes } from './ids.ts'

export type Clock = { now(): number; sleep(ms: number): Promise<void> }

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await wait(ms)
  },
}

const POOL_BYTES = 4_096
let pool = Buffer.alloc(0)

/** Cryptographic randomness from a prefilled pool, because drawing 16 bytes at a time costs too much CPU. */
export const systemRandom: RandomBytes = (size) => {
  if (size > POOL_BYTES) return randomFillSync(Buffer.alloc(size))
  if (pool.length < size) pool = randomFillSync(Buffer.alloc(POOL_BYTES))
  const bytes = pool.subarray(0, size)
  pool = pool.subarray(size)
  return bytes
}

/** ISO 8601 UTC with milliseconds, the only time format on the wire. */
export const iso = (ms: number): string => new Date(ms).toISOString()

/**
 * Whether `since` (ms) lies at most `ms` back. False for a time in the future: the clock was set back, so the elapsed time
 * is unknown.
 */
export const within = (ms: number, since: number, now: number): boolean => since <= now && now - since <= ms

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
