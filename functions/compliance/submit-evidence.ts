import { SubmissionBody } from '../../shared/assure/submissions/submission-body.ts'
import { findSubmission, type Submission } from '../../shared/assure/submissions/submission.ts'
import { submitEvidence } from '../../shared/assure/submissions/submit.ts'
import { AwaitedView, awaitedView } from '../../shared/assure/submissions/view.ts'
import type { Stored } from '../../shared/base/table/entity.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { body: SubmissionBody, response: AwaitedView }

const created = (submission: Stored<Submission>, now: number) =>
  tagged(awaitedView(submission, now), submission._v, 201, {
    Location: `/api/v1/compliance/tenants/${submission.tenant_id}/evidence/${submission.id}`,
  })

/** A repeat with the same Idempotency-Key shows the present state, and gives a new address while the file is awaited. */
export const handler = endpoint(
  compliance.submitEvidence,
  shapes,
  async ({ body, ctx }) => created(await submitEvidence(ctx, body), ctx.now()),
  { replay: async (ctx, id) => created(await findSubmission(ctx, id), ctx.now()) },
)
