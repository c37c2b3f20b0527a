import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { JOB_TYPES } from '../trainers/trainer.ts'
import { type Job, JOB_STATUSES, jobs, jobsPartition, jobView } from './job.ts'

export const JobQuery = z.object({
  status: z.enum(JOB_STATUSES).optional().describe('Only those in this state.'),
  type: z.enum(JOB_TYPES).optional().describe('Only of this type.'),
  dataset_id: z.string().max(128).optional().describe('Only jobs that train from this dataset.'),
})

/** Newest first. By offset, unless the caller sends a cursor; an empty one begins at the first page. */
export async function listJobs(ctx: Context, query: ListQuery & z.output<typeof JobQuery>) {
  const { status, type, dataset_id, cursor, offset } = query
  const matches = (job: Job) =>
    (status ?? job.status) === job.status &&
    (type ?? job.type) === job.type &&
    (dataset_id ?? job.dataset_id) === job.dataset_id
  const asked = cursor === undefined ? { ...query, offset: offset ?? 0 } : { ...query, cursor: cursor || undefined }
  const page = await paginate(ctx, 'training-list-jobs', asked, {
    of: jobs,
    index: 'gsi1',
    groups: [{ name: 'all', partitions: [jobsPartition(ctx.space)] }],
    filter: (status ?? type ?? dataset_id) ? matches : undefined,
  })
  return { ...page, items: page.items.map(jobView) }
}
