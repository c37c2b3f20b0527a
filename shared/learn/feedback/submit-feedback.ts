// Takes feedback. Its comment is stored without personal data, its correction sealed like the payload of the execution.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid } from '../../base/lib/failure.ts'
import { freeForm, id, optional } from '../../base/wire/fields.ts'
import { Overtaken, retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { findExecution } from '../../govern/executions/sealed/open-execution.ts'
import { Redactor } from '../../govern/governance/pii/redact.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { sealPayload } from '../../ledger/sealing/seal.ts'
import { artifactData, FEEDBACK_ARTIFACT } from './feedback-artifact.ts'
import { type Feedback, FEEDBACK_LABELS, feedbacks, TARGET_TYPES } from './feedback.ts'
import { mustBeThere } from './target.ts'

export const FeedbackBody = z.strictObject({
  target_type: z.enum(TARGET_TYPES).describe('What kind of thing the feedback is about.'),
  target_id: id.describe('Id of what the feedback is about; of a persona its key.'),
  rating: z.union([z.literal(-1), z.literal(0), z.literal(1)]).describe('1: good, -1: bad, 0: neither.'),
  label: optional(z.enum(FEEDBACK_LABELS)).describe('What it was, more exactly; wins over the rating.'),
  comment: optional(z.string().max(4_000)).describe(
    'In your own words. Personal data is replaced before it is stored.',
  ),
  correction: optional(freeForm).describe('Of an execution: the payload that would have been right.'),
})
type FeedbackBody = z.output<typeof FeedbackBody>

/** One per principal and target. Throws 404 for an unknown target. */
export async function submitFeedback(ctx: Context, body: FeedbackBody): Promise<Stored<Feedback>> {
  if (body.correction && body.target_type !== 'execution')
    throw invalid(['correction'], 'goes with feedback on an execution only')
  await mustBeThere(ctx, body)
  return retryWhenOvertaken(() => store(ctx, body))
}

async function store(ctx: Context, { correction, comment, ...said }: FeedbackBody): Promise<Stored<Feedback>> {
  const { principal, space } = ctx
  const at = ctx.now()
  const created_by = { type: principal.kind, id: principal.id }
  const of = { ...space, ...said, created_by }
  const was = await ctx.table.get(feedbacks, of)
  const corrected = correction && (await sealedCorrection(ctx, of, correction))
  const next = {
    ...of,
    id: ctx.id('fbk'),
    ...(comment !== undefined && { comment: new Redactor().redactMembers({ comment }).comment as string }),
    ...(corrected && { correction: corrected.sealed, correction_commitment: corrected.commitment }),
    persons: [...principal.persons],
    may_decide: principal.credential === 'session' && principal.permissions.has('approvals:decide'),
    created_at: was?.created_at ?? iso(at),
    updated_at: iso(at),
  }
  const subject = { type: 'feedback', id: next.id }
  const artifact = newArtifact(ctx, { type: FEEDBACK_ARTIFACT, subject, data: artifactData(next), at })
  const feedback: Feedback = { ...next, artifact: { id: artifact.artifact_id, hash: artifact.hash } }
  const write = was ? feedbacks.replace(feedback, was, new Overtaken()) : feedbacks.insert(feedback, new Overtaken())
  await ctx.table.commit([write, ...recorded(ctx, [{ artifact }])], feedback.id)
  return { ...feedback, _v: (was?._v ?? 0) + 1 }
}

/** Erased with the payload of the execution. */
async function sealedCorrection(ctx: Context, of: Parameters<typeof feedbacks.key>[0], correction: object) {
  const { subject_ref } = await findExecution(ctx, of.target_id)
  return sealPayload(ctx.space, feedbacks.key(of), 'correction', correction, { keyName: subject_ref })
}
