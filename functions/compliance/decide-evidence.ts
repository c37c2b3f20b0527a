import { decideEvidence } from '../../shared/assure/decisions/decide.ts'
import { DecisionBody } from '../../shared/assure/decisions/decision-parts.ts'
import { SubmissionView, submissionView } from '../../shared/assure/submissions/view.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { body: DecisionBody, response: SubmissionView, versioned: true }

export const handler = endpoint(compliance.decideEvidence, shapes, async ({ params, body, version, ctx }) => {
  const submission = await decideEvidence(ctx, params.id, { ...body, version })
  return tagged(submissionView(submission, ctx.now()), submission._v)
})
