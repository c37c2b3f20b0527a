// The training of a space in one answer.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { firstId } from '../../base/lib/ids.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { feedbacks, feedbacksPartition } from '../feedback/feedback.ts'
import { jobs, jobsPartition } from '../jobs/job.ts'
import { models, modelsPartition } from '../models/model.ts'
import { trainingFigures } from './training-figures.ts'

const DAY = 86_400_000
const WINDOWS = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY, '90d': 90 * DAY } as const
const MOST = 20_000
const figure = z.number().nullable()

export const StatsQuery = z.object({
  window: z
    .enum(Object.keys(WINDOWS) as (keyof typeof WINDOWS)[])
    .default('30d')
    .describe('The length of the time window up to now.'), // keys of the constant itself
})

export const TrainingStats = z.object({
  window: z.string().describe('The window that was counted.'),
  jobs: z
    .object({
      total: z.int().describe('The total number of items.'),
      /** By name; a status that no job has is left out. */
      by_status: z.record(z.string(), z.int()).describe('Their number by status; a status that none has is left out.'),
      success_rate: figure.describe(
        'Share of the jobs that succeeded, of those that succeeded or failed in the window; null without any.',
      ),
      p50_seconds: figure.describe('Seconds that half of the jobs took at most; null without jobs.'),
    })
    .describe('Jobs of the window.'),
  datasets: z
    .object({
      total: z.int().describe('The total number of items.'),
      rows: z.int().describe('Rows of the datasets that are ready, each in the format that was asked for.'),
      pairs: z.int().describe('Pairs of answers, one preferred.'),
      stale: z.int().describe('Datasets that were ready, and hold what was erased since.'),
    })
    .describe('Datasets that there are.'),
  models: z
    .object({
      total: z.int().describe('The total number of items.'),
      deployed: z.int().describe('Models that are in their slot.'),
      by_slot: z.record(z.string(), z.int()).describe('Their number by slot.'),
    })
    .describe('Models that there are.'),
  feedback: z
    .object({
      count: z.int().describe('How often somebody gave feedback.'),
      positive_rate: figure.describe('Share with rating 1; null without feedback.'),
    })
    .describe('Feedback of the window.'),
  model_quality: z
    .array(
      z.object({
        slot: z.string().describe('The slot of a model.'),
        version: z.int().describe('Version of the model.'),
        accuracy: figure.describe('Share of decisions that it would have made like people.'),
        auc: figure.describe('Area under the ROC curve.'),
        ece: figure.describe('Expected calibration error over ten bins.'),
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
    .describe('How good the deployed models were on their test data.'),
  cost: z
    .object({
      compute_seconds: figure.describe('Seconds of computing; null while nothing is trained.'),
      estimated_usd: figure.describe('Estimated US dollars; null while nothing is trained.'),
    })
    .describe('What the jobs cost that ended in the window.'),
})

/** Jobs and feedback are those of the window, outcomes and cost of the jobs that ended in it; the others are what there is now. */
export async function trainingStats(ctx: Context, { window }: z.output<typeof StatsQuery>) {
  const span = { from: ctx.now() - WINDOWS[window], until: ctx.now() }
  const [figures, queued, made, given] = await Promise.all([
    trainingFigures(ctx, span),
    jobsSince(ctx, span.from),
    allModels(ctx),
    feedbackSince(ctx, span.from),
  ])
  const { completed, failed, p50_s } = figures.jobs
  return {
    window,
    jobs: {
      total: queued.length,
      by_status: countsOf(queued, ({ status }) => status),
      success_rate: completed + failed === 0 ? null : completed / (completed + failed),
      p50_seconds: p50_s,
    },
    datasets: figures.datasets,
    models: {
      total: made.length,
      deployed: made.filter(({ status }) => status === 'deployed').length,
      by_slot: countsOf(made, ({ name }) => name),
    },
    feedback: {
      count: given.length,
      positive_rate: given.length === 0 ? null : given.filter(({ rating }) => rating === 1).length / given.length,
    },
    model_quality: figures.quality,
    cost: { compute_seconds: figures.cost.compute_seconds, estimated_usd: figures.cost.estimated_usd },
  }
}

const jobsSince = ({ table, space }: Context, from: number) =>
  wholeRange(table, jobs, { pk: jobsPartition(space), index: 'gsi1', from: firstId('job', from) }, MOST)

const feedbackSince = ({ table, space }: Context, from: number) =>
  wholeRange(table, feedbacks, { pk: feedbacksPartition(space), index: 'gsi1', from: firstId('fbk', from) }, MOST)

async function allModels({ table, space }: Context) {
  const read = (isDeployed: boolean) =>
    wholeRange(table, models, { pk: modelsPartition(space, isDeployed), index: 'gsi1' }, MOST)
  return (await Promise.all([read(true), read(false)])).flat()
}

function countsOf<T>(all: readonly T[], of: (one: T) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(all, of)].map(([name, ones]) => [name, ones.length]))
}
