// When a failed message of the fan-out queue comes back.
import { currentRuntime } from '../../base/context.ts'
import type { Received } from '../../base/kernel/queue.ts'
import { Busy } from './deliver.ts'

/** Seconds after each failure. */
const PAUSES = [2, 10, 30, 60, 120]
const LAST_PAUSE = 180

/** A message whose delivery another worker holds comes back when that worker can no longer be alive. */
export function pauseSeconds({ receives }: Received, error: unknown): number {
  if (error instanceof Busy) return secondsUntil(error.until)
  return PAUSES[receives - 1] ?? LAST_PAUSE
}

const secondsUntil = (at: string) => Math.max(1, Math.ceil((Date.parse(at) - currentRuntime().clock.now()) / 1_000))
