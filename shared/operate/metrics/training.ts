// The figures of training over a window. A figure without measurements is null, never 0.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { TrainingSource } from '../../base/ports/rows.ts'
import { type MetricsWindow, rateOf } from './indicators.ts'

const figure = z.number().nullable()

export const TrainingMetrics = z.object({
  window: z.string().describe('The window that was counted.'),
  as_of: z.string().describe('Everything before this time is counted.'),
  jobs: z
    .object({
      completed: z.int().describe('Jobs of the window that succeeded.'),
      failed: z.int().describe('Jobs of the window that failed.'),
      completion_rate: figure.describe('Share of the jobs that succeeded; null without jobs.'),
      p50_s: figure.describe('Seconds that half of the jobs took at most; null without jobs.'),
    })
    .describe('Training jobs that ended.'),
  quality: z
    .array(
      z.object({
        slot: z.string().describe('What the model is used for.'),
        version: z.int().describe('Version of the model.'),
        accuracy: figure.describe('Share of decisions that it would have made like people.'),
        auc: figure.describe('Area under the ROC curve.'),
        ece: figure.describe('Expected calibration error.'),
        live_agreement: figure.describe(
          'How often it was right about what people decided on actions that were held whatever it said; null before the first.',
        ),
        n: z.int().describe('The number of decisions.'),
        ci95: z
          .object({ lower: z.number().describe('Its lower end.'), upper: z.number().describe('Its upper end.') })
          .nullable()
          .describe('The 95 % interval of the share (Wilson).'),
      }),
    )
    .describe('Quality of each deployed model.'),
  cost: z
    .object({
      compute_seconds: figure.describe('Seconds of computing; null while nothing is trained.'),
      estimated_usd: figure.describe('Estimated US dollars; null while nothing is trained.'),
      by_trainer: z
        .array(
          z.object({
            trainer: z.string().describe('Name of the trainer.'),
            compute_seconds: figure.describe('Seconds of computing.'),
            estimated_usd: figure.describe('Estimated US dollars.'),
          }),
        )
        .describe('The same by trainer.'),
    })
    .describe('What training has cost.'),
  datasets: z
    .object({
      total: z.int().describe('The total number of items.'),
      rows: z.int().describe('Rows of the datasets that are ready, each in the format that was asked for.'),
      pairs: z.int().describe('Pairs of answers, one preferred.'),
      stale: z.int().describe('Datasets that were ready, and hold what was erased since.'),
    })
    .describe('Data to train with.'),
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
