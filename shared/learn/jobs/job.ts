// A training job: from a dataset to a model. A trainer works on it, here or at a provider.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { lifecycle } from '../../ledger/evidence/artifact/lifecycle.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, spaceKey, type Stored, type Write } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import { JOB_TYPES, TRAINERS } from '../trainers/trainer.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'

const JOB_STATUSES = [
  'queued',
  'provisioning',
  'running',
  'evaluating',
  'cancelling',
  'completed',
  'cancelled',
  'failed',
] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** A job that ends before its cancellation takes effect ends as it would have. */
export const JOB_STATES: States<JobStatus> = {
  queued: ['provisioning', 'running', 'cancelled', 'failed'],
  provisioning: ['running', 'cancelling', 'failed'],
  running: ['evaluating', 'cancelling', 'failed'],
  evaluating: ['completed', 'failed'],
  cancelling: ['cancelled', 'completed', 'failed'],
  completed: [],
  cancelled: [],
  failed: [],
}

export const hasEnded = (status: JobStatus): boolean => JOB_STATES[status].length === 0

/** Without a sign of life for so long, the worker is dead. */
export const HEARTBEAT_MS = 5 * 60_000

const LOGS_MAX = 200
const Log = z.object({
  at: z.string().describe('When it happened.'),
  level: z.enum(['info', 'warning', 'error']).describe('How much it matters.'),
  message: z.string().describe('What happened.'),
})
export type Log = z.output<typeof Log>

export const Setting = z.union([z.number(), z.string().max(256), z.boolean()])

export const Job = z.object({
  ...resourceMembers,
  /** The name of the model that it makes a version of. */
  name: z.string().describe('A name for people.'),
  type: z
    .enum(JOB_TYPES)
    .describe('What is trained: a model of preferences or approvals, or a language model by one of TRL’s methods.'),
  dataset_id: z.string().describe('The dataset that it trains from.'),
  dataset_sha256: z.string().describe('The `content_sha256` of the dataset that was trained on.'),
  base_model: z
    .string()
    .optional()
    .describe('The language model that training starts from; only for `dpo`, `sft` and `kto`.'),
  trainer: z.enum(TRAINERS).describe('Who trains: `embedded` in the service itself, the others at a provider.'),
  trainer_ref: z.string().optional().describe('The name of the job at its provider.'),
  hyperparameters: z
    .record(z.string(), Setting)
    .describe('Settings of the training. The embedded trainer has `epochs`, `learning_rate`, `l2` and `seed`.'),
  status: z.enum(JOB_STATUSES).describe('The current state.'),
  progress: z.number().describe('How far the work is, from 0 to 1.'),
  stage: z.string().describe('The step that the job is at.'),
  metrics: z.record(z.string(), z.unknown()).optional().describe('What the training measured.'),
  model_id: z.string().optional().describe('Id of the model.'),
  model_version: z.int().optional().describe('Number of the version among the models of its name.'),
  cost: z
    .object({
      compute_seconds: z.number().nullable().describe('Seconds of computing; null while nothing is trained.'),
      estimated_usd: z.number().nullable().describe('Estimated US dollars; null while nothing is trained.'),
      price_source: z.string().nullable().describe('The setting that the price comes from; null: none.'),
    })
    .describe('What the training took.'),
  logs: z.array(Log).describe('The last 200 lines.'),
  error: z
    .object({
      code: z.string().describe('The cause of the error, for programs.'),
      message: z.string().describe('A message for people.'),
    })
    .optional()
    .describe('The cause of the error.'),
  queued_at: z.string().describe('When it was requested.'),
  started_at: z.string().optional().describe('When it started.'),
  finished_at: z.string().optional().describe('When it ended.'),
  heartbeat_at: z.string().optional().describe('The last sign of life of the trainer.'),
  cancel_requested_at: z.string().optional().describe('When its end was requested.'),
  /** Since when the provider has not answered. */
  unreachable_since: z.string().optional(),
  created_by: z
    .object({
      type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
      id: z.string().describe('Id of the caller.'),
    })
    .describe('The caller that created it.'),
  /** The artifact of its last change of status. */
  evidence_artifact_id: z.string().describe('Id of the artifact that proves it.'),
  /** When the sweeper looks at it again. */
  due_at: z.string().optional(),
})
export type Job = z.output<typeof Job>

export const jobsPartition = (space: Space): string => spaceKey(space, 'JOBS')

export const jobs = entity({
  name: 'JOB',
  unbound: 'bounded',
  schema: Job,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'JOB', of.id), sk: 'JOB' }),
  index: (item) => ({ gsi1pk: jobsPartition(item), gsi1sk: item.id, ...dueAt(item.due_at, item.id) }),
})

export const { begin: beginJob, move: movedJob } = lifecycle(jobs, JOB_STATES, {
  named: ({ artifact_id }) => ({ evidence_artifact_id: artifact_id }),
  facts: (next, was) => ({
    type: 'training.job.changed',
    subject: { type: 'training_job', id: next.id },
    data: {
      from: was?.status ?? null,
      to: next.status,
      job_type: next.type,
      trainer: next.trainer,
      dataset_id: next.dataset_id,
      dataset_sha256: next.dataset_sha256,
      ...(next.model_id !== undefined && { model_id: next.model_id }),
      ...(next.error && { error_code: next.error.code }),
    },
  }),
})

/** The newest lines. */
export const logged = (was: readonly Log[], at: string, level: Log['level'], message: string): Log[] =>
  [...was, { at, level, message }].slice(-LOGS_MAX)

export const JobView = Job.omit({ mode: true, due_at: true, unreachable_since: true }).extend({
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})

export function jobView({
  _v: version,
  mode: _mode,
  due_at: _due,
  unreachable_since: _since,
  ...shown
}: Job & { _v: number }) {
  return { ...shown, version }
}

const JOB_ID = idPattern('job')

/** Throws 404. */
export async function findJob(ctx: Context, id: string): Promise<Stored<Job>> {
  const found = JOB_ID.test(id) ? await ctx.table.get(jobs, { ...ctx.space, id }) : undefined
  if (!found) throw notFound('training job')
  return found
}

export const JobQuery = z.object({
  status: z.enum(JOB_STATUSES).optional().describe('Only those in this state.'),
  type: z.enum(JOB_TYPES).optional().describe('Only of this type.'),
  dataset_id: z.string().max(128).optional().describe('Only jobs that train from this dataset.'),
})

/** Newest first. By offset, unless the caller sends a cursor; an empty one begins at the first page. */
export async function listJobs(ctx: Context, query: ListQuery & z.output<typeof JobQuery>) {
  const { status, type, dataset_id, cursor, offset } = query
  const matches = (job: Job) =>
    (status ?? job.status) === job.status &&
    (type ?? job.type) === job.type &&
    (dataset_id ?? job.dataset_id) === job.dataset_id
  const asked = cursor === undefined ? { ...query, offset: offset ?? 0 } : { ...query, cursor: cursor || undefined }
  const page = await paginate(ctx, 'training-list-jobs', asked, {
    of: jobs,
    index: 'gsi1',
    groups: [{ name: 'all', partitions: [jobsPartition(ctx.space)] }],
    filter: (status ?? type ?? dataset_id) ? matches : undefined,
  })
  return { ...page, items: page.items.map(jobView) }
}

// The jobs of a space that have not ended: one attribute each, so that a job leaves without regard to the others.

export const OPEN_MAX = 2

const openJobs = entity({
  name: 'OPENJOBS',
  unbound: 'bounded',
  schema: z.looseObject({}),
  key: (space: Space) => ({ pk: jobsPartition(space), sk: 'OPEN' }),
})

/** The jobs of a space that have not ended. */
export async function openJobsOf({ table, space }: Context): Promise<Job[]> {
  const ids = idsIn(await table.get(openJobs, space))
  return table.getAll(
    jobs,
    ids.map((id) => ({ ...space, id })),
  )
}

const idsIn = (found: object | undefined): string[] =>
  Object.keys(found ?? {}).filter((name) => name.startsWith('job_'))

/** Throws 409 when too many are open. Goes into the commit that makes the job. */
export async function openOne({ table, space }: Context, id: string): Promise<Write> {
  const found = await table.get(openJobs, space)
  if (idsIn(found).length >= OPEN_MAX) {
    throw conflict(`You have ${OPEN_MAX} open training jobs already. Wait until one has ended, or cancel it.`)
  }
  const set = { [id]: true, _type: openJobs.name }
  const condition = found
    ? { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': found._v } }
    : { expression: 'attribute_not_exists(pk)' }
  return openJobs.update(space, { set, condition }, new ChangedMeanwhile())
}

/** Goes into the commit that ends the job. */
export const closeOne = ({ space }: Context, id: string): Write => openJobs.update(space, { remove: [id] })
