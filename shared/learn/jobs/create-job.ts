// Creates a training job: chooses the trainer, checks its settings and the dataset, and queues it.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, Failure, invalid } from '../../base/lib/failure.ts'
import { warn } from '../../base/lib/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import { id as anId, optional, plainText } from '../../base/wire/fields.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import type { Dataset } from '../datasets/dataset.ts'
import { readDataset } from '../datasets/dataset-view.ts'
import { SLOT } from '../models/model.ts'
import {
  CAPABILITIES,
  configuredTrainers,
  FORMAT_OF,
  Hyperparameters,
  isLanguageModel,
  JOB_TYPES,
  type JobType,
  type TrainerName,
  TRAINERS,
} from '../trainers/trainer.ts'
import { enqueueLearning } from '../queue.ts'
import { beginJob, type Job, logged, openOne, Setting } from './job.ts'

/** How long the first message may take to reach a worker. */
const FIRST_TRY_MS = 60_000
const SETTINGS_MAX = 50

export const JobInput = z.strictObject({
  name: z
    .string()
    .regex(SLOT, 'must be lower case letters, digits and hyphens, 63 at most')
    .describe('A name for people.'),
  type: z
    .enum(JOB_TYPES)
    .describe('What is trained: a model of preferences or approvals, or a language model by one of TRL’s methods.'),
  dataset_id: anId.describe('The dataset to train from, which must be ready.'),
  base_model: optional(plainText(200)).describe(
    'The language model that training starts from; only for `dpo`, `sft` and `kto`.',
  ),
  trainer: optional(z.enum(TRAINERS)).describe(
    'Who trains: `embedded` in the service itself, the others at a provider.',
  ),
  hyperparameters: optional(z.record(z.string().max(64), Setting)).describe(
    'Settings of the training. The embedded trainer has `epochs`, `learning_rate`, `l2` and `seed`.',
  ),
})
export type JobInput = z.output<typeof JobInput>

/**
 * Stores the job as queued and sends the message that begins it; the sweeper sends a lost one again. Throws 404 and 409 about the
 * dataset, 409 when too many jobs are open, and 422 for what no trainer offers. The hash of the dataset is read here: training
 * ends with an error when the files differ from it. With an `id` that a job has it throws 409.
 */
export async function createJob(ctx: Context, input: JobInput, id = ctx.id('job')): Promise<Stored<Job>> {
  const trainer = trainerOf(input)
  const hyperparameters = settingsOf(trainer, input)
  mustFitType(input)
  const dataset = await usable(ctx, input, trainer)
  const job = await retryWhenChanged(async () => {
    const draft = newJob(ctx, { ...input, id, trainer, hyperparameters }, dataset)
    const { item, write, transition } = beginJob(ctx, draft)
    const opened = await openOne(ctx, id)
    await ctx.table.commit([write, opened, ...commitWith(ctx, [transition])], id)
    return item
  })
  await enqueueLearning(ctx.space, job.id).catch((error: unknown) => warn('job_not_enqueued', error, { job: job.id }))
  return job
}

function newJob(ctx: Context, input: JobInput & Pick<Job, 'id' | 'trainer' | 'hyperparameters'>, dataset: Dataset) {
  const now = ctx.now()
  return {
    ...ctx.space,
    ...input,
    dataset_sha256: dataset.content_sha256 ?? '',
    status: 'queued' as const,
    progress: 0,
    stage: 'waiting',
    cost: { compute_seconds: null, estimated_usd: null, price_source: null },
    logs: logged([], iso(now), 'info', 'The job is queued.'),
    queued_at: iso(now),
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
    due_at: iso(now + FIRST_TRY_MS),
  }
}

function trainerOf({ type, trainer }: JobInput): TrainerName {
  const configured = configuredTrainers()
  const found = configured.find((name) => (trainer ?? name) === name && CAPABILITIES[name].includes(type))
  if (found) return found
  const offered = configured.map((name) => `${name} (${CAPABILITIES[name].join(', ')})`).join(', ')
  throw invalid(['type'], `must be one that a configured trainer offers: ${offered}`)
}

function settingsOf(trainer: TrainerName, { hyperparameters = {} }: JobInput): Job['hyperparameters'] {
  if (trainer !== 'embedded') {
    if (Object.keys(hyperparameters).length <= SETTINGS_MAX) return hyperparameters
    throw invalid(['hyperparameters'], `must not have more than ${SETTINGS_MAX} members`)
  }
  const result = Hyperparameters.safeParse(hyperparameters)
  if (result.success) return result.data
  const errors = result.error.issues.map(({ path, message }) => ({
    loc: ['body', 'hyperparameters', ...path.map(String)],
    msg: message,
    type: 'value_error' as const,
  }))
  throw new Failure('invalid', errors)
}

function mustFitType({ type, base_model }: { type: JobType; base_model?: string | undefined }): void {
  const needed = isLanguageModel(type)
  if (needed && base_model === undefined) throw invalid(['base_model'], `is needed for ${type}`, 'missing')
  if (!needed && base_model !== undefined) throw invalid(['base_model'], `must be left out for ${type}`)
}

async function usable(ctx: Context, { dataset_id, type }: JobInput, trainer: TrainerName): Promise<Dataset> {
  const dataset = await readDataset(ctx, dataset_id)
  if (dataset.status !== 'ready')
    throw conflict(`The dataset is ${dataset.status}. Only a ready one can be trained from.`)
  const format = FORMAT_OF[type]
  if (!dataset.files.some(({ path }) => path === `${format}/train.jsonl`))
    throw invalid(['dataset_id'], `must name a dataset with rows in the format ${format} for ${type}`)
  if (trainer === 'embedded' && dataset.names_actions === false)
    throw invalid(
      ['dataset_id'],
      'must name a dataset whose rows have the form of generated ones: node, action, payload',
    )
  return dataset
}
