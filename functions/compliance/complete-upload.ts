import * as z from 'zod'
import { completeUpload } from '../../shared/assure/compliance/complete-upload.ts'
import { SubmissionView, viewOf } from '../../shared/assure/compliance/view.ts'
import { answer, unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { body: z.strictObject({}), reply: SubmissionView }

/** What was no file, or has arrived before, is answered as it is. */
export const handler = endpoint(compliance.completeUpload, shapes, async ({ params, ctx }) => {
  const { submission, repeated } = await completeUpload(ctx, params.id)
  const view = viewOf(submission, ctx.now())
  return repeated ? unchanged(view) : answer(200, view)
})
