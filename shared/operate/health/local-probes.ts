// What a container can say of itself, without asking anybody.
import { currentRuntime } from '../../base/context.ts'
import type { Probe } from './probe.ts'

/** The container's caches are plain maps; that one can be written and read is all there is to check. */
export const cache: Probe = async () => {
  const probe = new Map([['probe', true]])
  return probe.get('probe') ? {} : { status: 'failed' }
}

const PLAUSIBLE_SINCE = Date.UTC(2026, 0, 1)

/** Below 90 % of its memory, and with a clock that is not obviously wrong. */
export const system: Probe = async () => {
  const percent = memoryPercent()
  const clockIsSane = currentRuntime().clock.now() > PLAUSIBLE_SINCE
  return { status: percent < 90 && clockIsSane ? 'ok' : 'degraded' }
}

/** Resident memory against what the function was given; against 512 MB where nothing says. */
export function memoryPercent(): number {
  const limit = Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 512) * 1_048_576
  return Math.round((100 * process.memoryUsage.rss()) / limit)
}
