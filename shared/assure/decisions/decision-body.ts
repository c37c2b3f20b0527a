import * as z from 'zod'
import { optional } from '../../base/wire/fields.ts'
import { Decision } from '../submissions/submission.ts'

export const REASON_MAX = 2_000

export const DecisionBody = z.strictObject({
  decision: Decision.shape.decision,
  reason: z.string().min(1).max(REASON_MAX).describe('The reason, for people.'),
  version: optional(z.int()).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
