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
  window: z.enum(Object.keys(WINDOWS) as (keyof typeof WINDOWS)[]).default('30d'), // keys of the constant itself
})

export const TrainingStats = z.object({
  window: z.string(),
  jobs: z.object({
    total: z.int(),
    /** By name; a status that no job has is left out. */
    by_status: z.record(z.string(), z.int()),
    success_rate: figure,
    p50_seconds: figure,
  }),
  datasets: z.object({ total: z.int(), rows: z.int(), pairs: z.int(), stale: z.int() }),
  models: z.object({ total: z.int(), deployed: z.int(), by_slot: z.record(z.string(), z.int()) }),
  feedback: z.object({ count: z.int(), positive_rate: figure }),
  model_quality: z.array(
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
  cost: z.object({ compute_seconds: figure, estimated_usd: figure }),
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
