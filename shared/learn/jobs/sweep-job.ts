// What the sweeper does with a job that is due: hands it to a worker again, or ends it when its worker is dead.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Overtaken } from '../../base/table/retry.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { enqueueLearning } from '../queue.ts'
import { HEARTBEAT_MS, type Job, jobs } from './job.ts'
import { moveJob } from './move-job.ts'

export async function sweepJob(ctx: Context, id: string): Promise<void> {
  const job = await ctx.table.get(jobs, { ...ctx.space, id })
  if (!job?.due_at || Date.parse(job.due_at) > ctx.now()) return
  try {
    if (job.trainer === 'embedded' && job.status !== 'queued') {
      await moveJob(ctx, job, endOf(job))
      return
    }
    await ctx.table.commit([jobs.replace({ ...job, due_at: iso(ctx.now() + HEARTBEAT_MS) }, job)])
  } catch (error) {
    if (error instanceof Overtaken || error instanceof ConditionFailed) return // it lives
    throw error
  }
  await enqueueLearning(ctx.space, id)
}

/** Whoever cancelled it gets what they asked for. */
const endOf = ({ status }: Job) =>
  status === 'cancelling'
    ? { status: 'cancelled' as const, stage: 'ended' }
    : {
        status: 'failed' as const,
        stage: 'ended',
        error: { code: 'heartbeat_lost', message: 'The trainer stopped without an answer. Create the job again.' },
      }
