// Statistics of an endpoint's recent deliveries.
import { HOUR_MS } from '../../base/lib/durations.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { deliveries, deliveriesOf, type Delivery, type DeliveryStatus } from './delivery.ts'
import { mustBeKnown } from './delivery-log.ts'

/** Within the 30 days that deliveries are kept. */
export const STATS_WINDOWS = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS, '30d': 720 * HOUR_MS } as const
export type StatsWindow = keyof typeof STATS_WINDOWS

/** Only so many of the latest deliveries of a window are read. */
const READ_MAX = 10_000

export type Stats = {
  counts: Record<DeliveryStatus, number>
  /** Of those that have ended, to one decimal; null when none has. */
  success_percent: number | null
  /** Of the last attempt of each delivery, where it was answered; null when none was. */
  latency_ms: { p50: number; p95: number } | null
}

/** `complete` is false when the window holds more deliveries than are read; the latest ones count. */
export async function endpointStats(ctx: Context, input: { id: string; window: StatsWindow }) {
  const pk = deliveriesOf(ctx.space, input.id)
  const from = iso(ctx.now() - STATS_WINDOWS[input.window])
  const [found] = await Promise.all([
    ctx.table.query(deliveries, { pk, index: 'gsi1', from, limit: READ_MAX + 1, descending: true }),
    mustBeKnown(ctx, input.id),
  ])
  return {
    window: input.window,
    complete: found.length <= READ_MAX,
    ...statsOf(found.slice(0, READ_MAX)),
  }
}

export function statsOf(found: readonly Pick<Delivery, 'status' | 'last'>[]): Stats {
  const counts = { pending: 0, retrying: 0, delivered: 0, failed: 0 }
  for (const { status } of found) counts[status] += 1
  const ended = counts.delivered + counts.failed
  const latencies = found.flatMap(({ last }) => (last?.status_code === undefined ? [] : [last.latency_ms]))
  const sorted = latencies.toSorted((a, b) => a - b)
  const [p50, p95] = [percentile(sorted, 0.5), percentile(sorted, 0.95)]
  return {
    counts,
    success_percent: ended === 0 ? null : Math.round((counts.delivered / ended) * 1_000) / 10,
    latency_ms: p50 === undefined || p95 === undefined ? null : { p50, p95 },
  }
}

/** Nearest rank. */
const percentile = (sorted: readonly number[], share: number) => sorted[Math.ceil(sorted.length * share) - 1]
