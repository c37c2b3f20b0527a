// What trains, and whether it can: from the settings of the deployment, its queue, and the jobs of the space.
import * as z from 'zod'
import { queueDepths } from '../../base/aws/queue-depths.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import { warn } from '../../base/lib/log.ts'
import { HEARTBEAT_MS, type Job, jobs, jobsPartition, OPEN_MAX, openJobsOf } from '../jobs/job.ts'
import { CAPABILITIES, isConfigured, JOB_TYPES, type TrainerName, TRAINERS } from '../trainers/trainer.ts'

const QUEUE = 'training'
/** A job that no worker took for so long waits for something that does not come. */
const WAITING_MS = 60 * 60_000
const RECENT = 200

export const Queue = z
  .object({
    name: z.string().describe('The name of the queue.'),
    depth: z
      .int()
      .nullable()
      .describe('Messages that wait in the queue of the deployment; null when it does not answer.'),
    dlq_depth: z.int().nullable().describe('Messages that failed for good and wait for the operator.'),
    oldest_age_s: z.int().nullable().describe('Seconds since the oldest queued job of the space was asked for.'),
  })
  .describe('The queue that each job goes through.')

export const Trainer = z.object({
  id: z.enum(TRAINERS).describe('The id, which never changes.'),
  kind: z.enum(['built_in', 'provider']).describe('Whether it is part of the service or a provider.'),
  configured: z.boolean().describe('Whether the deployment has the settings that it needs.'),
  status: z.enum(['available', 'degraded', 'unavailable', 'not_configured']).describe('The current state.'),
  capabilities: z.array(z.enum(JOB_TYPES)).describe('The types of jobs that it does.'),
  region: z.string().describe('The AWS region.'),
  instance_type: z.string().nullable().describe('The machine that the provider uses.'),
  /** Open jobs that a space may have at once, over all providers. */
  max_concurrency: z.int().describe('How many jobs a space may have open at once.'),
  running_jobs: z.int().describe('Jobs of the space that it works on.'),
  queue: Queue,
})
type Trainer = z.output<typeof Trainer>

export const Infrastructure = z.object({ items: z.array(Trainer).describe('The items of this page.') })

export const InfrastructureHealth = z.object({
  status: z.enum(['healthy', 'degraded', 'unavailable']).describe('The current state.'),
  checked_at: z.string().describe('When the check was made.'),
  trainers: z
    .array(Trainer.pick({ id: true, status: true, running_jobs: true }))
    .describe('How many trainers of models there are; null where the deployment has none.'),
  queue: Queue,
  last_completed_job_at: z.string().nullable().describe('When the last job was completed.'),
  stuck_jobs: z
    .array(z.string())
    .describe('Jobs that no worker takes, whose worker is dead, or whose provider does not answer.'),
})

export async function infrastructure(ctx: Context): Promise<z.output<typeof Infrastructure>> {
  return { items: (await look(ctx)).trainers }
}

export async function infrastructureHealth(ctx: Context): Promise<z.output<typeof InfrastructureHealth>> {
  const [{ open, queue, trainers }, [last]] = await Promise.all([look(ctx), completed(ctx)])
  const able = trainers.filter(({ configured }) => configured).map(({ status }) => status)
  return {
    status: able.every((one) => one === 'available') ? 'healthy' : able.every(isDown) ? 'unavailable' : 'degraded',
    checked_at: iso(ctx.now()),
    trainers: trainers.map(({ id, status, running_jobs }) => ({ id, status, running_jobs })),
    queue,
    last_completed_job_at: last ?? null,
    stuck_jobs: open.filter((job) => isStuck(job, ctx.now())).map(({ id }) => id),
  }
}

const isDown = (status: string): boolean => status === 'unavailable'

async function look(ctx: Context) {
  const [open, depths] = await Promise.all([
    openJobsOf(ctx),
    queueDepths([QUEUE]).catch((error: unknown) => warn('queue_unavailable', error)),
  ])
  const queue = {
    name: QUEUE,
    depth: depths?.[QUEUE] ?? null,
    dlq_depth: depths?.[`${QUEUE}-dlq`] ?? null,
    oldest_age_s: oldestAge(ctx, open),
  }
  return { open, queue, trainers: TRAINERS.map((id) => trainerOf(ctx, id, open, queue)) }
}

function oldestAge(ctx: Context, open: readonly Job[]): number | null {
  const waiting = open.filter(({ status }) => status === 'queued').map(({ queued_at }) => Date.parse(queued_at))
  return waiting.length === 0 ? null : Math.max(0, Math.round((ctx.now() - Math.min(...waiting)) / 1_000))
}

function trainerOf(ctx: Context, id: TrainerName, open: readonly Job[], queue: Trainer['queue']): Trainer {
  const own = open.filter(({ trainer }) => trainer === id)
  return {
    id,
    kind: id === 'embedded' ? 'built_in' : 'provider',
    configured: isConfigured(id),
    status: statusOf(ctx, id, own, queue),
    capabilities: [...CAPABILITIES[id]],
    region: env('REGION'),
    instance_type: id === 'sagemaker' ? process.env.TRAINING_INSTANCE || null : null,
    max_concurrency: OPEN_MAX,
    running_jobs: own.filter(({ status }) => status !== 'queued').length,
    queue,
  }
}

/** Every job goes through the queue. A provider is judged by the jobs that it has. */
function statusOf(ctx: Context, id: TrainerName, own: readonly Job[], queue: Trainer['queue']): Trainer['status'] {
  if (!isConfigured(id)) return 'not_configured'
  const unreachable = own.filter(({ unreachable_since }) => unreachable_since !== undefined)
  if (queue.depth === null || (unreachable.length > 0 && unreachable.length === own.length)) return 'unavailable'
  const isHampered = unreachable.length > 0 || own.some((job) => isStuck(job, ctx.now()))
  return isHampered || (queue.dlq_depth ?? 0) > 0 ? 'degraded' : 'available'
}

function isStuck({ status, trainer, queued_at, heartbeat_at, unreachable_since }: Job, now: number): boolean {
  if (status === 'queued') return now - Date.parse(queued_at) > WAITING_MS
  if (trainer !== 'embedded') return unreachable_since !== undefined
  return now - Date.parse(heartbeat_at ?? queued_at) > HEARTBEAT_MS
}

/** When the newest completed job of the last 200 ended. */
async function completed({ table, space }: Context): Promise<string[]> {
  const range = { pk: jobsPartition(space), index: 'gsi1', descending: true, limit: RECENT } as const
  const recent = await table.query(jobs, range)
  const ends = recent.flatMap(({ status, finished_at }) => (status === 'completed' && finished_at ? finished_at : []))
  return ends.toSorted().toReversed()
}
