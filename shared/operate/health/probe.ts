// Runs health probes with a time budget, and has those of the process itself. A result states the status of a dependency, never its
// name or address.
import * as z from 'zod'
import { currentRuntime, openTable } from '../../base/context.ts'
import { warn } from '../../base/lib/log.ts'
import { memory } from '../../base/lib/memory.ts'
import { getHeapStatistics } from 'node:v8'
import { tenants } from '../../base/tenant/tenant.ts'

export const Check = z.object({
  status: z.enum(['ok', 'degraded', 'failed']).describe('The current state.'),
  latency_ms: z.int().optional().describe('How long it took, in ms.'),
  detail: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .optional()
    .describe('More details.'),
})
export type Check = z.output<typeof Check>

type Facts = Pick<Check, 'detail'> & { status?: Check['status'] }
export type Probe = () => Promise<Facts | void>

const BUDGET_MS = 500
const FRESH_MS = 5_000

type Kept = { until: number; checks: Promise<Record<string, Check>> }
const kept = memory<Kept>()

/** Runs probes in parallel. Results are reused for 5 s, so that a public endpoint cannot be used to cause reads. */
export function runProbes(name: string, probes: Record<string, Probe>): Promise<Record<string, Check>> {
  const { clock } = currentRuntime()
  const known = kept.get(name)
  if (known && known.until > clock.now()) return known.checks
  const checks = Promise.all(
    Object.entries(probes).map(async ([part, probe]) => [part, await measure(part, probe)] as const),
  ).then((answers) => Object.fromEntries(answers))
  kept.set(name, { until: clock.now() + FRESH_MS, checks })
  return checks
}

async function measure(name: string, probe: Probe): Promise<Check> {
  const { clock } = currentRuntime()
  const start = clock.now()
  try {
    const facts = (await probe()) ?? {}
    const latency_ms = Math.round(clock.now() - start)
    return { status: latency_ms > BUDGET_MS ? 'degraded' : 'ok', latency_ms, ...facts }
  } catch (error) {
    warn('health_probe_failed', error, { component: name })
    return { status: 'failed', latency_ms: Math.round(clock.now() - start) }
  }
}

export const worst = (checks: Record<string, Check>): Check['status'] => {
  const all = Object.values(checks).map(({ status }) => status)
  return all.includes('failed') ? 'failed' : all.includes('degraded') ? 'degraded' : 'ok'
}

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
 * What the process itself allocated, in percent of the function's memory; on a developer's machine, of the limit of V8's heap.
 * Resident memory would also count pages of files that the system reads into its cache, and gives back when memory is short.
 */
export function memoryPercent({ heapTotal, external }: Usage = process.memoryUsage()): number {
  const megabytes = process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE
  const limit = megabytes === undefined ? getHeapStatistics().heap_size_limit : Number(megabytes) * 1_048_576
  return Math.round((100 * (heapTotal + external)) / limit)
}

/** A consistent read of an item that need not exist. */
export const database: Probe = async () => {
  await openTable().get(tenants, { id: 'health' })
}
