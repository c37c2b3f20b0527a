import { SubmissionBody } from '../../shared/assure/compliance/submission-body.ts'
import { findSubmission, type Submission } from '../../shared/assure/compliance/submission.ts'
import { submitEvidence } from '../../shared/assure/compliance/submit.ts'
import { AwaitedView, awaitedView } from '../../shared/assure/compliance/view.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { body: SubmissionBody, response: AwaitedView }

const created = (submission: Submission, now: number) =>
  httpResponse(201, awaitedView(submission, now), {
    Location: `/api/v1/compliance/tenants/${submission.tenant_id}/evidence/${submission.id}`,
  })

/** A repeat with the same Idempotency-Key shows the present state, and gives a new address while the file is awaited. */
export const handler = endpoint(
  compliance.submitEvidence,
  shapes,
  async ({ body, ctx }) => created(await submitEvidence(ctx, body), ctx.now()),
  { replay: async (ctx, id) => created(await findSubmission(ctx, id), ctx.now()) },
)
