// The rows of the export of training jobs.
import { firstId } from '../../base/lib/ids.ts'
import type { TrainingRow, TrainingRows } from '../../base/ports/rows.ts'
import { type Model, models } from '../models/model.ts'
import { type Job, jobs, jobsPartition } from './job.ts'

export const trainingRows: TrainingRows = async (ctx, { start_at, end_at }) => {
  const pk = jobsPartition(ctx.space)
  const [from, to] = [firstId('job', Date.parse(start_at)), firstId('job', Date.parse(end_at))]
  const found = (await ctx.table.query(jobs, { pk, index: 'gsi1', from, to })).filter(({ id }) => id < to)
  const ids = found.flatMap(({ model_id }) => (model_id === undefined ? [] : [{ ...ctx.space, id: model_id }]))
  const made = new Map((await ctx.table.getAll(models, ids)).map((model) => [model.id, model]))
  return found.map((job) => rowOf(job, made.get(job.model_id ?? '')))
}

function rowOf(job: Job, model: Model | undefined): TrainingRow {
  const { id, name, type, trainer, dataset_id, dataset_sha256, status, queued_at, metrics } = job
  const { started_at = null, finished_at = null, model_id = null, model_version, cost } = job
  const test = measuredBy(metrics, 'test')
  return {
    job_id: id,
    name,
    type,
    trainer,
    dataset_id,
    dataset_sha256,
    status,
    queued_at,
    started_at,
    finished_at,
    duration_s: started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1_000 : null,
    test_accuracy: test('accuracy'),
    test_auc: test('auc'),
    loss: measuredBy(metrics, 'train')('loss'),
    cost_usd: cost.estimated_usd,
    model_id,
    model_version: model_version === undefined ? null : String(model_version),
    deployed_at: model?.deployed_at ?? null,
  }
}

/** Reads figures of one part of a trainer's measurements; null for those that it did not measure. */
export function measuredBy(metrics: Readonly<Record<string, unknown>> | undefined, part: string) {
  const figures = metrics?.[part]
  return (name: string): number | null => {
    const value =
      typeof figures === 'object' && figures !== null ? (figures as Record<string, unknown>)[name] : undefined
    return typeof value === 'number' ? value : null
  }
}
