import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { endpointStats, STATS_WINDOWS, type StatsWindow } from '../../shared/deliver/webhooks/stats.ts'
import { webhooks } from './routes.ts'

const windows = Object.keys(STATS_WINDOWS) as StatsWindow[] // the keys of a constant
const count = z.int()

export const shapes = {
  query: z.object({ window: z.enum(windows).optional() }),
  response: z.object({
    window: z.string(),
    complete: z.boolean(),
    counts: z.object({ pending: count, retrying: count, delivered: count, failed: count }),
    success_percent: z.number().nullable(),
    latency_ms: z.object({ p50: count, p95: count }).nullable(),
  }),
}

/** Also of an endpoint that was deleted, as long as the log keeps its deliveries. */
export const handler = endpoint(webhooks.stats, shapes, ({ params, query: { window = '24h' }, ctx }) =>
  endpointStats(ctx, { id: params.id, window }),
)
