// A training job: from a dataset to a model. A trainer works on it, here or at a provider.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import { JOB_TYPES, TRAINERS } from '../trainers/trainer.ts'

export const JOB_STATUSES = [
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
const Log = z.object({ at: z.string(), level: z.enum(['info', 'warning', 'error']), message: z.string() })
export type Log = z.output<typeof Log>

export const Setting = z.union([z.number(), z.string().max(256), z.boolean()])

export const Job = z.object({
  ...resourceMembers,
  /** The name of the model that it makes a version of. */
  name: z.string(),
  type: z.enum(JOB_TYPES),
  dataset_id: z.string(),
  dataset_sha256: z.string(),
  base_model: z.string().optional(),
  trainer: z.enum(TRAINERS),
  /** The name of the job at its provider. */
  trainer_ref: z.string().optional(),
  hyperparameters: z.record(z.string(), Setting),
  status: z.enum(JOB_STATUSES),
  /** From 0 to 1. */
  progress: z.number(),
  stage: z.string(),
  metrics: z.record(z.string(), z.unknown()).optional(),
  model_id: z.string().optional(),
  model_version: z.int().optional(),
  cost: z.object({
    compute_seconds: z.number().nullable(),
    estimated_usd: z.number().nullable(),
    price_source: z.string().nullable(),
  }),
  logs: z.array(Log),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  queued_at: z.string(),
  started_at: z.string().optional(),
  finished_at: z.string().optional(),
  heartbeat_at: z.string().optional(),
  cancel_requested_at: z.string().optional(),
  /** Since when the provider has not answered. */
  unreachable_since: z.string().optional(),
  created_by: z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() }),
  /** The artifact of its last change of status. */
  evidence_artifact_id: z.string(),
  /** When the sweeper looks at it again. */
  due_at: z.string().optional(),
})
export type Job = z.output<typeof Job>

export const jobsPartition = (space: Space): string => spaceKey(space, 'JOBS')

export const jobs = entity({
  name: 'JOB',
  schema: Job,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'JOB', of.id), sk: 'JOB' }),
  index: (item) => ({ gsi1pk: jobsPartition(item), gsi1sk: item.id, ...dueAt(item.due_at, item.id) }),
})

/** The newest lines. */
export const logged = (was: readonly Log[], at: string, level: Log['level'], message: string): Log[] =>
  [...was, { at, level, message }].slice(-LOGS_MAX)

export const JobView = Job.omit({ mode: true, due_at: true, unreachable_since: true }).extend({ version: z.int() })

export function jobView({
  _v: version,
  mode: _mode,
  due_at: _due,
  unreachable_since: _since,
  ...shown
}: Job & { _v: number }) {
  return { ...shown, version }
}
