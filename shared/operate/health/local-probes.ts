// Probes of the process itself, without calls.
import { getHeapStatistics } from 'node:v8'
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

type Usage = { heapTotal: number; external: number }

/**
 * What the process itself allocated, in percent of the function's memory; on a developer's machine, of what V8 may use at most.
 * Resident memory would also count pages of files that the system reads into its cache, and gives back when memory is short.
 */
export function memoryPercent({ heapTotal, external }: Usage = process.memoryUsage()): number {
  const megabytes = process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE
  const limit = megabytes === undefined ? getHeapStatistics().heap_size_limit : Number(megabytes) * 1_048_576
  return Math.round((100 * (heapTotal + external)) / limit)
}
