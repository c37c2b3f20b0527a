import * as z from 'zod'
import type { Stored } from '../../base/table/entity.ts'
import { Feedback } from './feedback.ts'

/** A correction is never shown: only that there is one. */
export const FeedbackView = Feedback.pick({
  tenant_id: true,
  id: true,
  target_type: true,
  target_id: true,
  rating: true,
  label: true,
  comment: true,
  created_by: true,
  created_at: true,
  updated_at: true,
}).extend({
  has_correction: z.boolean().describe('Whether it came with the payload that would have been right.'),
  evidence_artifact_id: z.string().describe('Id of the artifact that proves it.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})

export function feedbackView(feedback: Stored<Feedback>): z.output<typeof FeedbackView> {
  const {
    mode: _m,
    persons: _p,
    may_decide: _d,
    artifact,
    correction,
    correction_commitment: _c,
    _v,
    ...shown
  } = feedback
  return { ...shown, has_correction: correction !== undefined, evidence_artifact_id: artifact.id, version: _v }
}
