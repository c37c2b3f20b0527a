// Time as the stand-ins see it. Tests pass a clock that moves when told to; only the real one below knows the machine's.
import { setTimeout as wait } from 'node:timers/promises'

export type Clock = { now: () => number; sleep: (ms: number) => Promise<void> }

export const machineClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await wait(ms)
  },
}
