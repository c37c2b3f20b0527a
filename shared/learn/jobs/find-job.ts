import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Job, jobs } from './job.ts'

const JOB_ID = idPattern('job')

/** Throws 404. */
export async function findJob(ctx: Context, id: string): Promise<Stored<Job>> {
  const found = JOB_ID.test(id) ? await ctx.table.get(jobs, { ...ctx.space, id }) : undefined
  if (!found) throw notFound('training job')
  return found
}
