// A job at a provider: started once, asked for its state each minute, and ended when the provider says so. A provider that cannot
// be reached fails no job, because the training there goes on, and goes on costing.
import { createHash } from 'node:crypto'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { datasetKey } from '../datasets/dataset.ts'
import { readDataset } from '../datasets/dataset-view.ts'
import { type Ask, conversation, type Provider, type ProviderState, Refused } from '../trainers/providers/provider.ts'
import { MAX_RUN_SECONDS } from '../trainers/providers/sagemaker.ts'
import { FORMAT_OF } from '../trainers/trainer.ts'
import { completeJob, modelIdOf, modelKey, putObject } from './complete-job.ts'
import { DatasetChanged, openDataset } from './read-rows.ts'
import { hasEnded, type Job, jobs } from './job.ts'
import { moveJob } from './move-job.ts'

const POLL_MS = 60_000
const SILENT_MS = 30 * 60_000
/** A provider that has not answered by then has lost the job. */
const GIVEN_UP_MS = (MAX_RUN_SECONDS + 3_600) * 1_000

/** Providers take no underscores in names. */
const refOf = ({ id }: Pick<Job, 'id'>): string => id.replace('_', '-')

/**
 * One look at a job: starts it, where the provider does not know it; otherwise takes over its state. Safe to repeat: the provider
 * knows the job by a name that follows from its id, so it is never started twice.
 */
export async function followProvider(ctx: Context, found: Stored<Job>, provider: Provider): Promise<void> {
  const begun = found.status === 'queued' ? await begin(ctx, found) : found
  try {
    if (begun.status === 'cancelling') await provider.cancel(refOf(begun))
    const state = await provider.poll(refOf(begun))
    if (state) await apply(ctx, begun, state)
    else await startAgain(ctx, begun, provider)
  } catch (error) {
    await unanswered(ctx, begun, error)
  }
}

const begin = (ctx: Context, was: Stored<Job>) =>
  moveJob(ctx, was, {
    status: 'provisioning',
    stage: 'starting',
    trainer_ref: refOf(was),
    started_at: iso(ctx.now()),
    due_at: iso(ctx.now() + POLL_MS),
  })

/** The provider does not know the job: it was never started, or its cancellation came before that. */
async function startAgain(ctx: Context, job: Stored<Job>, provider: Provider): Promise<void> {
  if (job.status === 'cancelling') return void (await moveJob(ctx, job, { status: 'cancelled', stage: 'ended' }))
  await provider.start(await askOf(ctx, job))
  await answered(ctx, job)
}

async function askOf(ctx: Context, job: Job): Promise<Ask> {
  const files = await openDataset(ctx, job)
  const dataset = await readDataset(ctx, job.dataset_id)
  const folder = `s3://${env('FILES_BUCKET')}/`
  const format = FORMAT_OF[job.type]
  const key = modelKey(ctx, modelIdOf(job))
  const train = `${key}/train.jsonl`
  if (job.trainer === 'bedrock') {
    const rows: string[] = []
    for await (const line of files.lines('sft/train.jsonl')) rows.push(conversation(line))
    await putObject(train, rows.join(''), 'application/jsonlines')
  }
  return {
    name: refOf(job),
    base_model: job.base_model ?? '',
    format,
    hyperparameters: Object.fromEntries(
      Object.entries(job.hyperparameters).map(([name, value]) => [name, String(value)]),
    ),
    dataset: `${folder}${datasetKey(dataset, '')}`,
    hasTest: files.has(`${format}/test.jsonl`),
    train: `${folder}${train}`,
    output: `${folder}${key}/`,
  }
}

async function apply(ctx: Context, was: Stored<Job>, state: ProviderState): Promise<void> {
  if (state.status === 'failed')
    return failed(ctx, was, state.error ?? { code: 'failed', message: 'The provider failed.' })
  if (state.status === 'cancelled') return stopped(ctx, was)
  if (state.status === 'completed') {
    const { artifact } = state
    if (artifact !== undefined) return complete(ctx, was, { ...state, artifact })
    return failed(ctx, was, { code: 'no_model', message: 'The training gave no model.' })
  }
  const running = state.status === 'running' && was.status === 'provisioning'
  await answered(ctx, running ? await moveJob(ctx, was, { status: 'running', stage: 'training' }) : was)
}

const failed = async (ctx: Context, was: Stored<Job>, error: { code: string; message: string }) =>
  void (await moveJob(ctx, was, { status: 'failed', stage: 'ended', error }))

async function stopped(ctx: Context, was: Stored<Job>): Promise<void> {
  if (was.status !== 'cancelling') {
    return failed(ctx, was, { code: 'stopped', message: 'Somebody stopped the training at its provider.' })
  }
  await moveJob(ctx, was, { status: 'cancelled', stage: 'ended' })
}

type Trained = ProviderState & { artifact: string }

/** States that the provider was in between two looks are walked through. */
async function complete(
  ctx: Context,
  was: Stored<Job>,
  { artifact, metrics = {}, compute_seconds }: Trained,
): Promise<void> {
  let job = was
  if (job.status === 'provisioning') job = await moveJob(ctx, job, { status: 'running', stage: 'training' })
  if (job.status === 'running') job = await moveJob(ctx, job, { status: 'evaluating', stage: 'evaluating' })
  const made = { id: modelIdOf(job), artifact: await fileOf(artifact), metrics, gate: 'none' as const, compute_seconds }
  await completeJob(ctx, job.id, made)
}

/** The bytes of a model that stays at its provider cannot be read, so the hash is that of its name. */
async function fileOf(uri: string) {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(uri) ?? []
  if (bucket === undefined) return { uri, sha256: sha256Hex(uri), bytes: 0, format: 'provider-model' }
  const { GetObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  if (!Body) throw new Error(`${uri} is empty`)
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of Body.transformToWebStream()) {
    hash.update(chunk)
    bytes += chunk.byteLength
  }
  return { uri, sha256: hash.digest('hex'), bytes, format: 'tar.gz' }
}

const answered = (ctx: Context, job: Stored<Job>) => {
  const now = ctx.now()
  const next = { ...job, heartbeat_at: iso(now), due_at: iso(now + POLL_MS), unreachable_since: undefined }
  return ctx.table.commit([jobs.replace(next, job)])
}

async function unanswered(ctx: Context, { id }: Job, error: unknown): Promise<void> {
  const job = await ctx.table.get(jobs, { ...ctx.space, id })
  if (!job || hasEnded(job.status)) return
  if (error instanceof Refused) return failed(ctx, job, { code: 'refused', message: error.message.slice(0, 500) })
  if (error instanceof DatasetChanged) return failed(ctx, job, { code: 'dataset_changed', message: error.message })
  const now = ctx.now()
  const { started_at, unreachable_since = iso(now) } = job
  if (started_at !== undefined && now - Date.parse(started_at) > GIVEN_UP_MS) {
    return failed(ctx, job, {
      code: 'provider_silent',
      message: 'The provider did not answer until the longest run was over.',
    })
  }
  if (now - Date.parse(unreachable_since) > SILENT_MS) alarm('training_provider_unreachable', error, { job: id })
  await ctx.table.commit([jobs.replace({ ...job, unreachable_since, due_at: iso(now + POLL_MS) }, job)])
}
