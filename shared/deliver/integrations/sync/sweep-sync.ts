// What the sweeper does with a run that made no progress: hands it to a worker again, or gives it up.
import type { Context } from '../../../base/context.ts'
import { unlessChangedMeanwhile } from '../../../base/kernel/retry.ts'
import { endSync } from './end-sync.ts'
import { enqueueSync } from './enqueue.ts'
import { syncJobs, turns } from './job.ts'

const STALLS_MAX = 5

export async function sweepSync(ctx: Context, id: string): Promise<void> {
  const job = await ctx.table.get(syncJobs, { ...ctx.space, id })
  if (!job?.due_at || turns.isHeld(job, ctx.now())) return
  if (job.stalls >= STALLS_MAX) {
    const error_code = job.nango && job.nango.model === undefined ? 'not_told' : 'worker_failed'
    await unlessChangedMeanwhile(endSync(ctx, job, { status: job.pages > 0 ? 'partial' : 'failed', error_code }))
  } else if (await turns.take(ctx, job, { stalls: job.stalls + 1 })) await enqueueSync({ ...ctx.space, id })
}
