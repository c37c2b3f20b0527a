import * as z from 'zod'

const Tier = z.enum(['AUTO', 'SOFT', 'HARD'])

/** How an action of a manifest will be classified; a payload, a policy or a setting can still make a call stricter. */
export const ActionView = z.object({
  action_id: z.string(),
  kind: z.string(),
  tier: Tier,
  /** What nothing goes below. */
  floor: Tier,
  reasons: z.array(z.object({ signal: z.string(), value: z.string().optional(), floor: Tier.optional() })),
})
