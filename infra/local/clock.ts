// The clock of the stand-ins. Tests pass their own clock; only `machineClock` reads the time of the machine.
import { setTimeout as wait } from 'node:timers/promises'

export type Clock = { now: () => number; sleep: (ms: number) => Promise<void> }

export const machineClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await wait(ms)
  },
}
