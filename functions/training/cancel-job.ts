import * as z from 'zod'
import { httpResponse, unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { cancelJob } from '../../shared/learn/jobs/move-job.ts'
import { JobView, jobView } from '../../shared/learn/jobs/job.ts'
import { training } from './routes.ts'

export const shapes = { body: z.strictObject({}), response: JobView }

export const handler = endpoint(training.cancelJob, shapes, async ({ params, ctx }) => {
  const { job, repeated } = await cancelJob(ctx, params.job_id)
  if (repeated) return unchanged(jobView(job), 202)
  return httpResponse(job.status === 'cancelling' ? 202 : 200, jobView(job))
})
