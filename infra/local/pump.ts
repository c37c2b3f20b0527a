// Repeats work: at once while there is some, else when woken or after a pause. A failure is reported and retried with
// growing pauses, so a failed dependency is not flooded.

/** Returns true when there may be more work. */
export type Work = () => Promise<boolean>

export type Pump = {
  /** Wakes the pump, because there may be work. */
  wake: () => void
  /** Waits for running work. */
  stop: () => Promise<void>
}

const PAUSE_MIN_MS = 100
const PAUSE_MAX_MS = 5_000

export function startPump(work: Work, options: { idleMs: number; onError: (error: unknown) => void }): Pump {
  const state = { stopped: false, woken: false, wake: () => {} }

  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      state.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  async function loop(): Promise<void> {
    let failures = 0
    while (!state.stopped) {
      state.woken = false
      try {
        const more = await work()
        failures = 0
        if (!more && !state.woken && !state.stopped) await rest(options.idleMs)
      } catch (error) {
        options.onError(error)
        if (!state.stopped) await rest(Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** failures))
        failures += 1
      }
    }
  }

  const running = Promise.resolve().then(loop)
  return {
    wake: () => {
      state.woken = true
      state.wake()
    },
    stop: async () => {
      state.stopped = true
      state.wake()
      await running
    },
  }
}
