import { type TestClock, testClock } from './test-clock.ts'

/** A test clock that stands still until it is moved: for borders that lie on one millisecond. */
export function stillClock(start = Date.now()): TestClock {
  const ticking = testClock(start)
  let time = start
  const moveTo = (instant: number) => {
    time = Math.max(time, instant)
    ticking.moveTo(instant)
  }
  return { ...ticking, now: () => time, moveTo, sleep: async (ms) => moveTo(Math.ceil(time + ms)) }
}
