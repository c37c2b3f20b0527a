import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { endpointStats, STATS_WINDOWS, type StatsWindow } from '../../shared/deliver/webhooks/delivery-log.ts'
import { webhooks } from './routes.ts'

const windows = Object.keys(STATS_WINDOWS) as StatsWindow[] // the keys of a constant
const count = z.int()

export const shapes = {
  query: z.object({ window: z.enum(windows).optional().describe('The length of the time window up to now.') }),
  response: z.object({
    window: z.string().describe('The window that was counted.'),
    complete: z.boolean().describe('Whether all deliveries of the window were counted.'),
    counts: z
      .object({
        pending: count.describe('The number of deliveries that wait.'),
        retrying: count.describe('The number of deliveries that wait for a retry.'),
        delivered: count.describe('Deliveries that were answered 2xx.'),
        failed: count.describe('The number of deliveries that failed after all retries.'),
      })
      .describe('The number of deliveries of the window in each state.'),
    success_percent: z
      .number()
      .nullable()
      .describe('The percentage of finished deliveries that succeeded. Null: none finished.'),
    latency_ms: z
      .object({
        p50: count.describe('Half of the values are at most this.'),
        p95: count.describe('95 percent of the values are at most this.'),
      })
      .nullable()
      .describe('The response times of receivers, in ms.'),
  }),
}

/** Also of an endpoint that was deleted, as long as the log keeps its deliveries. */
export const handler = endpoint(webhooks.stats, shapes, ({ params, query: { window = '24h' }, ctx }) =>
  endpointStats(ctx, { id: params.id, window }),
)
