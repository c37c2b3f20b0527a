import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { JobQuery, JobView, listJobs } from '../../shared/learn/jobs/job.ts'
import { training } from './routes.ts'

export const shapes = { query: ListQuery.extend(JobQuery.shape), response: listView(JobView) }

export const handler = endpoint(training.listJobs, shapes, ({ query, ctx }) => listJobs(ctx, query))
