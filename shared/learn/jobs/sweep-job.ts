// What the sweeper does with a job that is due: hands it to a worker again, or ends it when its worker is dead.
import type { Context } from '../../base/context.ts'
import { unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { enqueueLearning } from '../queue.ts'
import { type Job, jobs } from './job.ts'
import { moveJob } from './move-job.ts'
import { turns } from './train-embedded.ts'

export async function sweepJob(ctx: Context, id: string): Promise<void> {
  const job = await ctx.table.get(jobs, { ...ctx.space, id })
  if (!job?.due_at || turns.isHeld(job, ctx.now())) return
  const isLost = job.trainer === 'embedded' && job.status !== 'queued'
  if (isLost) await unlessChangedMeanwhile(moveJob(ctx, job, endOf(job)))
  else if (await turns.take(ctx, job)) await enqueueLearning(ctx.space, id)
}

/** A job whose cancellation was requested is cancelled, not failed. */
const endOf = ({ status }: Job) =>
  status === 'cancelling'
    ? { status: 'cancelled' as const, stage: 'ended' }
    : {
        status: 'failed' as const,
        stage: 'ended',
        error: { code: 'heartbeat_lost', message: 'The trainer stopped without an answer. Create the job again.' },
      }
