import * as z from 'zod'
import { completeUpload } from '../../shared/assure/submissions/submit.ts'
import { SubmissionView, submissionView } from '../../shared/assure/submissions/view.ts'
import { unchanged } from '../../shared/base/wire/call.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { body: z.strictObject({}), response: SubmissionView }

/** What was no file, or has arrived before, is answered as it is. */
export const handler = endpoint(compliance.completeUpload, shapes, async ({ params, ctx }) => {
  const { submission, repeated } = await completeUpload(ctx, params.id)
  const view = submissionView(submission, ctx.now())
  return repeated ? unchanged(view) : tagged(view, submission._v)
})
