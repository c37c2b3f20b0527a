import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { createJob, JobInput } from '../../shared/learn/jobs/create-job.ts'
import { JobView, jobView } from '../../shared/learn/jobs/job.ts'
import { training } from './routes.ts'

export const shapes = { body: JobInput, response: JobView }

export const handler = endpoint(training.createJob, shapes, async ({ body, ctx }) => {
  const job = await createJob(ctx, body)
  return httpResponse(202, jobView(job), { Location: `/api/v1/ai-training/jobs/${job.id}` })
})
