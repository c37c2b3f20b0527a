// Deliveries as the API shows them, and statistics of them. The log of an endpoint stays after the endpoint was deleted.
import type { Context } from '../../base/context.ts'
import { eventAt } from '../../ledger/events/log.ts'
import type { ListSource } from '../../base/wire/pagination.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import {
  type Attempt,
  attempts,
  type AttemptState,
  deliveries,
  deliveriesOf,
  type Delivery,
  type DeliveryStatus,
} from './delivery.ts'
import { attemptState } from './delivery-rules.ts'
import { endpoints } from './endpoints/endpoint.ts'
import { HOUR_MS, iso } from '../../base/lib/clock.ts'

export type DeliveryFilter = Partial<Pick<Delivery, 'status' | 'event_id' | 'recover_id'>> & {
  type?: string | undefined
  /** Bounds of `created_at` (ISO), both included. */
  start_at?: string | undefined
  end_at?: string | undefined
}

/** A delivery with what is known of an attempt that is not recorded. */
export const shownAt =
  (now: number) =>
  (delivery: Stored<Delivery>): Stored<Delivery> & { attempt_state?: AttemptState | undefined } => ({
    ...delivery,
    attempt_state: attemptState(delivery, now),
  })

/** The deliveries to an endpoint, as a list source. Throws 404 for an endpoint that neither exists nor ever had a delivery. */
export async function deliveriesTo(
  ctx: Context,
  endpointId: string,
  { status, type, event_id, recover_id, start_at, end_at }: DeliveryFilter,
): Promise<ListSource<Stored<Delivery>, Delivery>> {
  await mustBeKnown(ctx, endpointId)
  const filtered = [status, type, event_id, recover_id].some((value) => value !== undefined)
  return {
    of: deliveries,
    index: 'gsi1',
    groups: [{ name: 'all', partitions: [deliveriesOf(ctx.space, endpointId)] }],
    from: start_at,
    to: end_at && `${end_at}#\u{10FFFF}`,
    ...(filtered && {
      filter: (delivery) =>
        (status ?? delivery.status) === delivery.status &&
        (type ?? delivery.event_type) === delivery.event_type &&
        (event_id ?? delivery.event_id) === delivery.event_id &&
        (recover_id ?? delivery.recover_id) === delivery.recover_id,
    }),
  }
}

/** Throws 404 for an endpoint that neither exists nor ever had a delivery. */
async function mustBeKnown(ctx: Context, endpointId: string): Promise<void> {
  const pk = deliveriesOf(ctx.space, endpointId)
  const [endpoint, anyDelivery] = await Promise.all([
    ctx.table.get(endpoints, { ...ctx.space, id: endpointId }),
    ctx.table.keys({ pk, index: 'gsi1', limit: 1 }),
  ])
  if (!endpoint && anyDelivery.length === 0) throw notFound('webhook endpoint')
}

export async function lastDeliveryAt(ctx: Context, endpointId: string): Promise<string | undefined> {
  const range = { pk: deliveriesOf(ctx.space, endpointId), index: 'gsi1', limit: 1, descending: true } as const
  const [last] = await ctx.table.query(deliveries, range)
  return last?.created_at
}

/** A delivery with its event and all attempts so far. */
export async function readDelivery(ctx: Context, id: string) {
  const delivery = await ctx.table.get(deliveries, { ...ctx.space, id })
  if (!delivery) throw notFound('delivery')
  const [failures, event] = await Promise.all([
    ctx.table.query(attempts, { pk: deliveries.key(delivery).pk, prefix: 'ATT#' }),
    delivery.event === undefined ? eventAt(ctx, delivery.event_position) : JSON.parse(delivery.event),
  ])
  return { ...shownAt(ctx.now())(delivery), body: event ?? null, attempts: attemptsOf(delivery, failures) }
}

/** All attempts in order. A failed one has its own record; one that succeeded is stored in the delivery. */
function attemptsOf(delivery: Delivery, failures: readonly Attempt[]) {
  const recordOf = new Map(failures.map((attempt) => [attempt.n, attempt]))
  const first = delivery.first_attempt ?? 0
  return Array.from({ length: delivery.attempt + 1 - first }, (_, index) => {
    const n = first + index
    const succeeded = n === delivery.attempt && delivery.status === 'delivered' ? delivery.last : undefined
    return recordOf.get(n) ?? { n, ...(succeeded ?? lost(delivery)) }
  })
}

/** An attempt of a worker that died before it could record it. */
const lost = ({ created_at }: Delivery) => ({ at: created_at, error_class: 'worker_crash', latency_ms: 0 })

/** Windows of the statistics, within the 30 days that deliveries are kept. */
export const STATS_WINDOWS = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS, '30d': 720 * HOUR_MS } as const
export type StatsWindow = keyof typeof STATS_WINDOWS

/** Only so many of the latest deliveries of a window are read. */
const READ_MAX = 10_000

export type Stats = {
  counts: Record<DeliveryStatus, number>
  /** Percent of the ended deliveries, to one decimal; null when none has ended. */
  success_percent: number | null
  /** Latencies of the last attempt of each delivery that was answered; null when none was. */
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
