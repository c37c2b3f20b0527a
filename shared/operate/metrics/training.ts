// What training came to in a window. What was not measured is null, never 0.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { TrainingSource } from '../../base/ports/overview.ts'
import { rateOf } from './indicators.ts'
import type { MetricsWindow } from './window.ts'

const figure = z.number().nullable()

export const TrainingMetrics = z.object({
  window: z.string(),
  as_of: z.string(),
  jobs: z.object({ completed: z.int(), failed: z.int(), completion_rate: figure, p50_s: figure }),
  quality: z.array(
    z.object({
      slot: z.string(),
      version: z.int(),
      accuracy: figure,
      auc: figure,
      ece: figure,
      live_agreement: figure,
      n: z.int(),
      ci95: z.object({ lower: z.number(), upper: z.number() }).nullable(),
    }),
  ),
  cost: z.object({
    compute_seconds: figure,
    estimated_usd: figure,
    by_trainer: z.array(z.object({ trainer: z.string(), compute_seconds: figure, estimated_usd: figure })),
  }),
  datasets: z.object({ total: z.int(), rows: z.int(), pairs: z.int(), stale: z.int() }),
})
export type TrainingMetrics = z.output<typeof TrainingMetrics>

export async function trainingMetrics(
  ctx: Context,
  { name, asOf, from, until }: MetricsWindow,
  source: TrainingSource,
): Promise<TrainingMetrics> {
  const { jobs, quality, cost, datasets } = await source(ctx, { from, until })
  return {
    window: name,
    as_of: iso(asOf),
    jobs: { ...jobs, completion_rate: rateOf(jobs.completed, jobs.completed + jobs.failed) },
    quality,
    cost,
    datasets,
  }
}
