// A job that trained a model ends together with the registration of that model. Beside it, the files of the embedded trainer: the
// weights, and the predictions of the test rows that its metrics were computed from.
import type { Context } from '../../base/context.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import { registerModel } from '../models/register-model.ts'
import type { Model } from '../models/model.ts'
import { findJob, hasEnded, type Job, logged } from './job.ts'
import { moveJob } from './move-job.ts'
import { priceOf } from '../trainers/trainer.ts'
import { env } from '../../base/lib/runtime.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { WEIGHTS_FORMAT } from '../../base/scorer/weights-file.ts'
import type { Prediction } from '../trainers/metrics/measure.ts'
import type { Known } from '../trainers/rows/examples.ts'

type Made = {
  id: string
  artifact: Model['artifact']
  predictions?: Model['predictions']
  metrics: Record<string, unknown>
  gate: Model['quality_gate']
  /** As the provider counts them; otherwise from start to end. */
  compute_seconds?: number | undefined
}

/** One transaction registers the model and ends the job. Does nothing for a job that has ended, so a repeat makes no second model. */
export const completeJob = (ctx: Context, id: string, { gate, ...made }: Made): Promise<void> =>
  retryWhenChanged(async () => {
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

/** Rows whose features are kept, so that a deployment can test whether the stored weights still predict them. */
const SELF_TEST_ROWS = 100

/** The model has the ULID of its job, so a repeated run makes no second one. */
export const modelIdOf = ({ id }: Pick<Job, 'id'>): string => id.replace('job_', 'mdl_')

export const modelKey = ({ space }: Context, id: string): string => `models/${space.tenant_id}/${space.mode}/${id}`

export async function storeModel(ctx: Context, id: string, weights: string) {
  const Key = modelKey(ctx, id)
  await putObject(Key, weights, 'application/octet-stream')
  return { uri: Key, sha256: sha256Hex(weights), bytes: Buffer.byteLength(weights), format: WEIGHTS_FORMAT }
}

/** A line for each test row, in the order of the file; the first ones with their features. */
export async function storePredictions(
  ctx: Context,
  id: string,
  test: readonly Known[],
  predictions: readonly Prediction[],
): Promise<{ uri: string; sha256: string }> {
  const lines = predictions.map((prediction, at) => {
    const features = at < SELF_TEST_ROWS ? test[at]?.features : undefined
    const kept = features && { indices: [...features.indices], values: [...features.values] }
    return `${JSON.stringify({ ...prediction, ...(kept && { features: kept }) })}\n`
  })
  const [uri, text] = [`${modelKey(ctx, id)}.predictions.ndjson`, lines.join('')]
  await putObject(uri, text, 'application/x-ndjson')
  return { uri, sha256: sha256Hex(text) }
}

/** S3 refuses a body that does not have the given hash. */
export async function putObject(Key: string, Body: string, ContentType: string): Promise<void> {
  const { PutObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  const ChecksumSHA256 = Buffer.from(sha256Hex(Body), 'hex').toString('base64')
  const command = new PutObjectCommand({ Bucket: env('FILES_BUCKET'), Key, Body, ContentType, ChecksumSHA256 })
  await s3().send(command, { requestTimeout: 60_000 })
}
