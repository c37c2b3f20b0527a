// Probes of the process itself, without calls.
import { currentRuntime } from '../../base/context.ts'
import type { Probe } from './probe.ts'

/** Caches are plain maps, so the probe writes and reads one. */
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

/** Resident memory in percent of the function's memory, or of 512 MB where that is not known. */
export function memoryPercent(): number {
  const limit = Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 512) * 1_048_576
  return Math.round((100 * process.memoryUsage.rss()) / limit)
}
