import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { findJob } from './find-job.ts'
import type { Job } from './job.ts'
import { moveJob } from './move-job.ts'

/** A job that has not begun is cancelled at once, another one as soon as its trainer stops. Throws 404 and 409. */
export const cancelJob = (ctx: Context, id: string): Promise<{ job: Stored<Job>; repeated: boolean }> =>
  retryWhenOvertaken(async () => {
    const was = await findJob(ctx, id)
    if (was.status === 'cancelling') return { job: was, repeated: true }
    const cancel_requested_at = iso(ctx.now())
    const status = was.status === 'queued' ? 'cancelled' : 'cancelling'
    const soon = was.trainer === 'embedded' ? {} : { due_at: cancel_requested_at } // the worker asks the provider
    const stage = status === 'cancelled' ? 'ended' : 'stopping'
    return { job: await moveJob(ctx, was, { status, stage, cancel_requested_at, ...soon }), repeated: false }
  })
