// What the sweeper does with a run that made no progress: hands it to a worker again, or gives it up.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import { endSync } from './end-sync.ts'
import { enqueueSync } from './enqueue.ts'
import { syncJobs } from './job.ts'
import { STALLED_MS } from './touched.ts'

const STALLS_MAX = 5

export async function sweepSync(ctx: Context, id: string): Promise<void> {
  const job = await ctx.table.get(syncJobs, { ...ctx.space, id })
  if (!job?.due_at || Date.parse(job.due_at) > ctx.now()) return
  try {
    if (job.stalls >= STALLS_MAX) {
      const error_code = job.nango && job.nango.model === undefined ? 'not_told' : 'worker_failed'
      await endSync(ctx, job, { status: job.pages > 0 ? 'partial' : 'failed', error_code })
      return
    }
    const next = { ...job, stalls: job.stalls + 1, due_at: iso(ctx.now() + STALLED_MS) }
    await ctx.table.commit([syncJobs.replace(next, job)])
  } catch (error) {
    if (error instanceof ConditionFailed) return // it lives
    throw error
  }
  await enqueueSync({ ...ctx.space, id })
}
