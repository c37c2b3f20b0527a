import * as z from 'zod'
import { optional } from '../../base/wire/fields.ts'

/** `action_digest` is the digest that the voter saw. A vote on another action is refused. */
export const DecisionBody = z.strictObject({
  reason: optional(z.string().max(2_000)),
  action_digest: optional(z.string().regex(/^sha256:[\da-f]{64}$/, 'must be sha256:<hex>')),
})
