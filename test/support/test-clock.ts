// A clock that moves when told to, and one millisecond whenever it is read: so what happens later is also dated later,
// on however fast a machine.

export type TestClock = {
  now: () => number
  /** Returns at once and moves the clock instead. */
  sleep: (ms: number) => Promise<void>
  /** Returns when the clock has been moved that far; for what waits beside the test, like retries. */
  wait: (seconds: number) => Promise<void>
  /** The next instant, up to the given one, for which something waits. */
  nextDue: (until: number) => number | undefined
  /** Moves forward and ends the waits that are over. Never moves back. */
  moveTo: (instant: number) => void
}

export function testClock(start = Date.now()): TestClock {
  let time = start
  let waits: { due: number; resolve: () => void }[] = []

  const moveTo = (instant: number) => {
    time = Math.max(time, instant)
    const over = waits.filter(({ due }) => due <= time)
    waits = waits.filter(({ due }) => due > time)
    for (const { resolve } of over) resolve()
  }

  return {
    now: () => (time += 1),
    sleep: async (ms) => moveTo(Math.ceil(time + ms)),
    wait: (seconds) => new Promise((resolve) => waits.push({ due: time + seconds * 1_000, resolve })),
    nextDue: (until) => {
      const due = Math.min(...waits.map((one) => one.due))
      return due <= until ? due : undefined
    },
    moveTo,
  }
}
