// Moves a job and commits the move: the job with its log, its evidence, and the place that it held among the open ones.
import type { Context } from '../../base/context.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { recorded, type Transition } from '../../ledger/evidence/artifact/record.ts'
import { hasEnded, type Job, type JobStatus, logged, movedJob } from './job.ts'
import { closeOne } from './open-jobs.ts'

export type Change = Partial<Job> & { status: JobStatus }
type Beside = { writes?: readonly Write[]; transitions?: readonly Transition[] }

/** Throws `Overtaken` when the job was changed since it was read. */
export async function moveJob(
  ctx: Context,
  was: Stored<Job>,
  { status, ...change }: Change,
  { writes = [], transitions = [] }: Beside = {},
): Promise<Stored<Job>> {
  const now = iso(ctx.now())
  const { logs, error } = { ...was, ...change }
  const line = error?.message ?? `The job is ${status}.`
  const { item, write, transition } = movedJob(ctx, was, status, {
    ...change,
    ...(hasEnded(status) && { finished_at: now, due_at: undefined }),
    logs: logged(logs, now, status === 'failed' ? 'error' : 'info', line),
  })
  const own = [write, ...(hasEnded(status) ? [closeOne(ctx, item.id)] : [])]
  await ctx.table.commit(
    [...own, ...writes, ...recorded(ctx, [transition, ...transitions], { measures: outcomeOf(item) })],
    item.id,
  )
  return item
}

/** One that somebody cancelled neither succeeded nor failed. */
const outcomeOf = ({ status }: Job): Measure[] =>
  status === 'completed' || status === 'failed' ? [['j', status === 'completed' ? 1 : 0]] : []
