// The figures of the deployment for the public, over all live spaces. They come from counts alone.
import * as z from 'zod'
import { iso } from '../../base/lib/clock.ts'
import { MS_EDGES, percentile } from '../../base/lib/histogram.ts'
import type { Table } from '../../base/table/table.ts'
import { nodesRegistered, platformSums } from './platform-days.ts'
import type { Counts } from './read-window.ts'
import { memory } from '../../base/lib/memory.ts'

const figure = z.number().nullable()
const common = {
  sample_size: z.int().describe('How many decisions, deliveries or verifications were measured.'),
  window: z.literal('24h').describe('The window that was counted.'),
  start_at: z.string().describe('The beginning of the window.'),
  end_at: z.string().describe('The end of the window, exclusive.'),
}

const Benchmark = z.union([
  z.object({
    name: z.literal('governance_evaluation_latency').describe('What is measured.'),
    p50_ms: figure.describe('Half of them took at most so many milliseconds.'),
    p95_ms: figure.describe('95 of 100 took at most so many milliseconds.'),
    p99_ms: figure.describe('99 of 100 took at most so many milliseconds.'),
    target_p95_ms: z.int().describe('What the figure is held to.'),
    ...common,
    method: z.literal('histogram').describe('How percentiles are computed.'),
  }),
  z.object({
    name: z.literal('webhook_delivery').describe('What is measured.'),
    first_attempt_success_percent: figure.describe(
      'How many of the deliveries that have ended were delivered by their first attempt.',
    ),
    delivered_percent: figure.describe('How many of the deliveries that have ended were delivered.'),
    p95_ms: figure.describe('95 of 100 took at most so many milliseconds.'),
    ...common,
    method: z.literal('histogram').describe('How percentiles are computed.'),
  }),
  z.object({
    name: z.literal('chain_verification').describe('What is measured.'),
    artifacts_per_second: figure.describe('How many artifacts of evidence were verified in a second.'),
    ...common,
    method: z.literal('sum').describe('How percentiles are computed.'),
  }),
])

export const Benchmarks = z.array(Benchmark)
export type Benchmarks = z.output<typeof Benchmarks>

/** The API specification. It is an edge of the histogram, so how many decisions kept it is exact. */
const TARGET_P95_MS = 200

/** The figures of the newest day that is complete in all spaces. */
export async function readBenchmarks(table: Table): Promise<Benchmarks> {
  const { counts, from, until } = await platformSums(table, 1)
  const measured = { window: '24h' as const, start_at: iso(from), end_at: iso(until) }
  return [
    { ...decisions(counts), ...measured },
    { ...deliveries(counts), ...measured },
    { ...verifications(counts), ...measured },
  ]
}

function decisions(counts: Counts) {
  const buckets = counts.histogram('g', MS_EDGES)
  const at = (share: number) => percentile(MS_EDGES, buckets, share)
  return {
    name: 'governance_evaluation_latency' as const,
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    p99_ms: at(0.99),
    target_p95_ms: TARGET_P95_MS,
    sample_size: buckets.reduce((sum, count) => sum + count, 0),
    method: 'histogram' as const,
  }
}

function deliveries(counts: Counts) {
  const ended = counts.sum('dl_ok', 'dl_bad')
  const percent = (part: number) => (ended === 0 ? null : Math.round((10_000 * part) / ended) / 100)
  return {
    name: 'webhook_delivery' as const,
    first_attempt_success_percent: percent(counts.sum('dl_first')),
    delivered_percent: percent(counts.sum('dl_ok')),
    p95_ms: percentile(MS_EDGES, counts.histogram('dl', MS_EDGES), 0.95),
    sample_size: ended,
    method: 'histogram' as const,
  }
}

function verifications(counts: Counts) {
  const ms = counts.sum('w.ms')
  return {
    name: 'chain_verification' as const,
    artifacts_per_second: ms === 0 ? null : Math.round((1_000 * counts.sum('w.artifacts')) / ms),
    sample_size: counts.sum('w.passes'),
    method: 'sum' as const,
  }
}

const KEPT_MS = 300_000

/** `at`: when (ms) they were read. */
export type Published = { at: number; benchmarks: Benchmarks; nodes_registered: number | null }

const known = memory<Published>(1)

/** The figures of the deployment that are published, read again after five minutes. */
export async function publishedFigures(table: Table): Promise<Published> {
  const at = table.clock.now()
  const kept = known.get('figures')
  if (kept && at - kept.at < KEPT_MS) return kept
  const [benchmarks, nodes_registered] = await Promise.all([readBenchmarks(table), nodesRegistered(table)])
  const read = { at, benchmarks, nodes_registered }
  known.set('figures', read)
  return read
}
