// The success and the latency of a space over the last minutes, for its status.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { asOf, MINUTE } from './state.ts'
import { MS_EDGES, percentile } from '../../base/lib/histogram.ts'
import { ratioOf } from './indicators.ts'
import { readWindow } from './read-window.ts'

const MINUTES = 5
const figure = z.number().nullable()

export const LastMinutes = z.object({
  requests_5m: figure.describe('Accepted requests of the five minutes before `as_of`; null without any.'),
  error_percent_5m: figure.describe('Those among them that an error of the service ended, in percent.'),
  governance_ms: z
    .object({
      p50: figure.describe('Half of the values are at most this.'),
      p95: figure.describe('95 percent of the values are at most this.'),
      p99: figure.describe('99 % took at most as long; null without data.'),
    })
    .describe('How long decisions took in these minutes.'),
  as_of: z.string().describe('Everything before this time is counted.'),
})

/** The five minutes before `as_of`. Null without data. */
export async function lastMinutes(ctx: Context): Promise<z.output<typeof LastMinutes>> {
  const until = await asOf(ctx)
  const counts = await readWindow(ctx, { from: until - MINUTES * MINUTE, until })
  const { good, total } = ratioOf(counts, { metric: 'api_availability' })
  const decisions = counts.histogram('g', MS_EDGES)
  const at = (share: number) => percentile(MS_EDGES, decisions, share)
  return {
    requests_5m: total === 0 ? null : total,
    error_percent_5m: total === 0 ? null : Math.round((10_000 * (total - good)) / total) / 100,
    governance_ms: { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
    as_of: iso(until),
  }
}
