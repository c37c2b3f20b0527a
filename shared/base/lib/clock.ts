// The only places that know the real time and real randomness. Everything else is given a clock and a source of bytes.
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

/** Cryptographic randomness, drawn in advance: asking for 16 bytes at a time costs more than everything done with them. */
export const systemRandom: RandomBytes = (size) => {
  if (size > POOL_BYTES) return randomFillSync(Buffer.alloc(size))
  if (pool.length < size) pool = randomFillSync(Buffer.alloc(POOL_BYTES))
  const bytes = pool.subarray(0, size)
  pool = pool.subarray(size)
  return bytes
}

/** ISO 8601 UTC with milliseconds, the only form of time on the wire. */
export const iso = (ms: number): string => new Date(ms).toISOString()

/**
 * Whether `since` (ms) lies at most `ms` back. A time that has not come yet does not: the clock was set back, and how much
 * time has passed is not known.
 */
export const within = (ms: number, since: number, now: number): boolean => since <= now && now - since <= ms
