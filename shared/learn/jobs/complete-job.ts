// A job that trained a model ends together with the registration of that model.
import type { Context } from '../../base/context.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { registerModel } from '../models/register-model.ts'
import type { Model } from '../models/model.ts'
import { findJob } from './find-job.ts'
import { hasEnded, type Job, logged } from './job.ts'
import { moveJob } from './move-job.ts'
import { priceOf } from '../trainers/trainer.ts'

type Made = {
  id: string
  artifact: Model['artifact']
  predictions?: Model['predictions']
  metrics: Record<string, unknown>
  gate: Model['quality_gate']
  /** As the provider counts them; otherwise from start to end. */
  compute_seconds?: number | undefined
}

export const completeJob = (ctx: Context, id: string, { gate, ...made }: Made): Promise<void> =>
  retryWhenOvertaken(async () => {
    const was = await findJob(ctx, id)
    if (hasEnded(was.status)) return
    const { name, type, dataset_id, dataset_sha256 } = was
    const { model, writes, transition } = await registerModel(ctx, {
      id: made.id,
      name,
      type,
      artifact: made.artifact,
      predictions: made.predictions,
      metrics: JSON.stringify(made.metrics),
      quality_gate: gate,
      job_id: id,
      dataset_id,
      dataset_sha256,
    })
    const change = {
      status: 'completed' as const,
      stage: 'ended',
      progress: 1,
      metrics: { ...made.metrics, quality_gate: gate },
      model_id: model.id,
      model_version: model.model_version,
      cost: costOf(ctx, was, made.compute_seconds),
      logs: gate === 'none' ? logged(was.logs, model.created_at, 'warning', 'The test set is too small.') : was.logs,
    }
    await moveJob(ctx, was, change, { writes, transitions: [transition] })
  })

function costOf(ctx: Context, { trainer, started_at }: Job, counted: number | undefined): Job['cost'] {
  const price = priceOf(trainer)
  const passed = started_at === undefined ? null : (ctx.now() - Date.parse(started_at)) / 1_000
  const compute_seconds = counted ?? passed
  return {
    compute_seconds,
    estimated_usd: price && compute_seconds !== null ? compute_seconds * price.usd : null,
    price_source: price?.source ?? null,
  }
}
