import * as z from 'zod'
import { id, optional } from '../../base/wire/fields.ts'
import { ALLOW_MAX_S, ALLOW_MIN_S } from '../governance/rule-terms.ts'

/**
 * `action_digest` is the digest that the voter saw. A vote on another action is refused. `on_behalf_of`: who is away and has
 * delegated to the voter, or the voter's own id, so that they vote in nobody else's name.
 */
export const DecisionBody = z.strictObject({
  reason: optional(z.string().max(2_000)).describe('The reason, for people.'),
  action_digest: optional(z.string().regex(/^sha256:[\da-f]{64}$/, 'must be sha256:<hex>')).describe(
    'SHA-256, hex, of the exact bytes of the action. An approval holds only for these bytes.',
  ),
  on_behalf_of: optional(id).describe(
    'The person who is away, in whose name the vote is given. Your own id: in nobody else’s name, even if you could. Without it: your own vote where you may give one, else that for the one person who has delegated to you.',
  ),
})

/** `allow_for_s`: for how long the same action may run again without being asked about. */
export const ApproveBody = DecisionBody.extend({
  allow_for_s: optional(z.int().min(ALLOW_MIN_S).max(ALLOW_MAX_S)).describe(
    'For how long the same action may run again without being asked about, in seconds.',
  ),
})
