import { findSubmission } from '../../shared/assure/submissions/submission.ts'
import { comparedView, SubmissionView } from '../../shared/assure/submissions/view.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { response: SubmissionView }

export const handler = endpoint(compliance.getEvidence, shapes, async ({ params, ctx }) => {
  const found = await findSubmission(ctx, params.id)
  return tagged(await comparedView(ctx, found), found._v)
})
