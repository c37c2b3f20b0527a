// Trains a linear model in this process. A message that comes twice finds the job begun and does nothing; a worker that dies is
// found by the sweeper, because its job gives no more signs of life.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Linear, readWeights, writeWeights } from '../../base/scorer/weights-file.ts'
import { evaluate, matrixOf } from '../trainers/embedded/matrix.ts'
import { fit } from '../trainers/embedded/fit.ts'
import { Hyperparameters } from '../trainers/trainer.ts'
import { type Known, UnreadableRow } from '../trainers/rows/examples.ts'
import { completeJob, modelIdOf, storeModel, storePredictions } from './complete-job.ts'
import { DatasetChanged, linearType, openDataset, readRows } from './read-rows.ts'
import { findJob, HEARTBEAT_MS, type Job, jobs, logged } from './job.ts'
import { type Change, moveJob } from './move-job.ts'
import { lease } from '../../base/kernel/lease.ts'
import { unlessChangedMeanwhile } from '../../base/kernel/retry.ts'

const READ = 0.2
const TRAINED = 0.9

export async function trainEmbedded(ctx: Context, found: Stored<Job>): Promise<void> {
  if (found.status !== 'queued') return
  const worker = new Worker(ctx, found)
  try {
    await worker.move({ status: 'running', stage: 'reading', started_at: iso(ctx.now()), ...lifeline(ctx) })
    await train(ctx, worker)
  } catch (error) {
    await endJob(ctx, found.id, error)
  }
}

async function train(ctx: Context, worker: Worker): Promise<void> {
  const { job } = worker
  const type = linearType(job)
  const files = await openDataset(ctx, job)
  const rows = { train: await readRows(files, job, 'train'), test: await readRows(files, job, 'test') }
  if (rows.train.length === 0) throw new UnreadableRow('The dataset has no rows to train from.')
  await worker.beat(READ, 'training', `${rows.train.length} rows to train from, ${rows.test.length} to test with.`)
  const { model, losses } = await epochs(worker, rows.train)
  await worker.move({ status: 'evaluating', stage: 'evaluating', progress: TRAINED, ...lifeline(ctx) })
  const weights = writeWeights(type, model)
  const { metrics, gate, predictions } = evaluate({
    type,
    model: readWeights(weights, sha256Hex(weights)),
    ...rows,
    losses,
  })
  const id = modelIdOf(job)
  const artifact = await storeModel(ctx, id, weights)
  const stored = await storePredictions(ctx, id, rows.test, predictions)
  await completeJob(ctx, job.id, { id, artifact, predictions: stored, metrics, gate })
}

/** After each epoch it looks whether somebody has cancelled the job. */
async function epochs(worker: Worker, examples: readonly Known[]): Promise<{ model: Linear; losses: number[] }> {
  const settings = Hyperparameters.parse(worker.job.hyperparameters)
  const losses: number[] = []
  let last: Linear | undefined
  for (const { epoch, loss, model } of fit(matrixOf(examples), settings)) {
    const progress = READ + (TRAINED - READ) * (epoch / settings.epochs)
    await worker.beat(progress, 'training', `Epoch ${epoch} of ${settings.epochs}: loss ${loss.toFixed(4)}.`)
    losses.push(loss)
    last = model
  }
  if (!last) throw new Error('a training without epochs')
  return { model: last, losses }
}

/** Cancels the job if somebody asked for that; otherwise it has failed, unless the sweeper has found that out already. */
async function endJob(ctx: Context, id: string, error: unknown): Promise<void> {
  const job = await findJob(ctx, id)
  if (error instanceof Stopped) {
    if (job.status === 'cancelling') await moveJob(ctx, job, { status: 'cancelled', stage: 'ended' })
    return
  }
  await moveJob(ctx, job, { status: 'failed', stage: 'ended', error: errorOf(error, id) })
}

function errorOf(error: unknown, job: string): NonNullable<Job['error']> {
  if (error instanceof UnreadableRow) return { code: 'unreadable_rows', message: error.message }
  if (error instanceof DatasetChanged) return { code: 'dataset_changed', message: error.message }
  if (error instanceof Failure) return { code: 'not_registered', message: error.message }
  alarm('training_failed', error, { job })
  return { code: 'internal', message: 'The trainer failed. Create the job again.' }
}

// What a worker does with a job beside training it: signs of life, progress, and its end.

/** Somebody asked for the end of the job, or another worker has ended it. */
export class Stopped extends Error {}

export const turns = /* @__PURE__ */ lease(jobs, HEARTBEAT_MS, {
  of: ({ due_at }) => due_at,
  until: (end) => ({ due_at: iso(end) }),
})

export const lifeline = (ctx: Context) => ({ heartbeat_at: iso(ctx.now()), ...turns.until(ctx.now()) })

/** Keeps the job as it is stored while one worker trains it. */
export class Worker {
  readonly #ctx: Context
  #job: Stored<Job>

  constructor(ctx: Context, job: Stored<Job>) {
    this.#ctx = ctx
    this.#job = job
  }

  get job(): Stored<Job> {
    return this.#job
  }

  /** Throws `Stopped` when the job was changed meanwhile, which only a cancellation or the sweeper does. */
  async beat(progress: number, stage: string, message?: string): Promise<void> {
    const was = this.#job
    const heartbeat_at = iso(this.#ctx.now())
    const logs = message === undefined ? was.logs : logged(was.logs, heartbeat_at, 'info', message)
    this.#job = await unlessStopped(turns.renew(this.#ctx, was, { heartbeat_at, progress, stage, logs }))
  }

  async move(change: Change, beside?: Parameters<typeof moveJob>[3]): Promise<void> {
    this.#job = await unlessStopped(moveJob(this.#ctx, this.#job, change, beside))
  }
}

async function unlessStopped(change: Promise<Stored<Job>>): Promise<Stored<Job>> {
  const job = await unlessChangedMeanwhile(change)
  if (!job) throw new Stopped()
  return job
}
