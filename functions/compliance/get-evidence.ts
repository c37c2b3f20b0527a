import { findSubmission } from '../../shared/assure/compliance/submission.ts'
import { SubmissionView, submissionView } from '../../shared/assure/compliance/view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { response: SubmissionView }

export const handler = endpoint(compliance.getEvidence, shapes, async ({ params, ctx }) =>
  submissionView(await findSubmission(ctx, params.id), ctx.now()),
)
