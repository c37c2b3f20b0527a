import * as z from 'zod'
import { optional } from '../../base/wire/fields.ts'
import { Decision } from '../submissions/submission.ts'

export const REASON_MAX = 2_000

export const DecisionBody = z.strictObject({
  decision: Decision.shape.decision,
  reason: z.string().min(1).max(REASON_MAX),
  version: optional(z.int()),
})
