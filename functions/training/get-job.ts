import { endpoint } from '../../shared/edge/endpoint.ts'
import { findJob, JobView, jobView } from '../../shared/learn/jobs/job.ts'
import { training } from './routes.ts'

export const shapes = { response: JobView }

export const handler = endpoint(training.getJob, shapes, async ({ params, ctx }) =>
  jobView(await findJob(ctx, params.job_id)),
)
