// Moves a job and commits the move: the job with its log, its evidence, and its place among the open jobs.
import type { Context } from '../../base/context.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { commitWith, type Transition } from '../../ledger/evidence/artifact/record.ts'
import { closeOne, findJob, hasEnded, type Job, type JobStatus, logged, movedJob } from './job.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'

export type Change = Partial<Job> & { status: JobStatus }
type Beside = { writes?: readonly Write[]; transitions?: readonly Transition[] }

/** Throws `ChangedMeanwhile` when the job was changed since it was read. */
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
    [...own, ...writes, ...commitWith(ctx, [transition, ...transitions], { measures: outcomeOf(item) })],
    item.id,
  )
  return item
}

/** A cancelled job counts neither as success nor as failure. */
const outcomeOf = ({ status }: Job): Measure[] =>
  status === 'completed' || status === 'failed' ? [['j', status === 'completed' ? 1 : 0]] : []

/** A job that has not begun is cancelled at once, another one as soon as its trainer stops. Throws 404 and 409. */
export const cancelJob = (ctx: Context, id: string): Promise<{ job: Stored<Job>; repeated: boolean }> =>
  retryWhenChanged(async () => {
    const was = await findJob(ctx, id)
    if (was.status === 'cancelling') return { job: was, repeated: true }
    const cancel_requested_at = iso(ctx.now())
    const status = was.status === 'queued' ? 'cancelled' : 'cancelling'
    const soon = was.trainer === 'embedded' ? {} : { due_at: cancel_requested_at } // the worker asks the provider
    const stage = status === 'cancelled' ? 'ended' : 'stopping'
    return { job: await moveJob(ctx, was, { status, stage, cancel_requested_at, ...soon }), repeated: false }
  })
