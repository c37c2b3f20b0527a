// Each change of the status of a job leaves evidence in the same commit.
import type { Context } from '../../base/context.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import { iso } from '../../base/lib/clock.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded, type Transition } from '../../ledger/evidence/artifact/record.ts'
import { hasEnded, type Job, JOB_STATES, jobs, type JobStatus, logged } from './job.ts'
import { closeOne } from './open-jobs.ts'

export type Change = Partial<Job> & { status: JobStatus }
type Beside = { writes?: readonly Write[]; transitions?: readonly Transition[] }

/** Throws `Overtaken` when the job was changed since it was read. */
export async function moveJob(
  ctx: Context,
  was: Stored<Job>,
  change: Change,
  { writes = [], transitions = [] }: Beside = {},
): Promise<Stored<Job>> {
  mustAllowMove(JOB_STATES, was.status, change.status)
  const { job, transition } = changed(ctx, { ...was, ...change }, was.status)
  const closing = hasEnded(job.status) ? [closeOne(ctx, job.id)] : []
  const own = [jobs.replace(job, was, new Overtaken()), ...closing]
  await ctx.table.commit(
    [...own, ...writes, ...recorded(ctx, [transition, ...transitions], { measures: outcomeOf(job) })],
    job.id,
  )
  return { ...job, _v: was._v + 1 }
}

/** One that somebody cancelled neither succeeded nor failed. */
const outcomeOf = ({ status }: Job): Measure[] =>
  status === 'completed' || status === 'failed' ? [['j', status === 'completed' ? 1 : 0]] : []

/** The job with the artifact of its change. */
export function changed(ctx: Context, next: Omit<Job, 'evidence_artifact_id'>, from: JobStatus | null) {
  const now = iso(ctx.now())
  const artifact = newArtifact(ctx, {
    type: 'training.job.changed',
    subject: { type: 'training_job', id: next.id },
    data: factsOf(next, from),
  })
  const ended = hasEnded(next.status) ? { finished_at: now, due_at: undefined } : {}
  const level = next.status === 'failed' ? 'error' : 'info'
  const logs = logged(next.logs, now, level, next.error?.message ?? `The job is ${next.status}.`)
  const job: Job = { ...next, ...ended, logs, evidence_artifact_id: artifact.artifact_id }
  return { job, transition: { artifact } satisfies Transition }
}

/** Ids, states and hashes: what people wrote stands in the job alone. */
const factsOf = (next: Omit<Job, 'evidence_artifact_id'>, from: JobStatus | null) => ({
  from,
  to: next.status,
  job_type: next.type,
  trainer: next.trainer,
  dataset_id: next.dataset_id,
  dataset_sha256: next.dataset_sha256,
  ...(next.model_id !== undefined && { model_id: next.model_id }),
  ...(next.error && { error_code: next.error.code }),
})
