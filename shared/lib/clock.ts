// The only places that know the real time and real randomness. Everything else is given a clock and a source of bytes.
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { RandomBytes } from './ids.ts'

export type Clock = { now(): number; sleep(ms: number): Promise<void> }

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await wait(ms)
  },
}

export const systemRandom: RandomBytes = (size) => randomBytes(size)

/** ISO 8601 UTC with milliseconds, the only form of time on the wire. */
export const iso = (ms: number): string => new Date(ms).toISOString()
