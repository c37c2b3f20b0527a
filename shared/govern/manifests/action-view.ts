// An action of a manifest as the API shows it.
import * as z from 'zod'

const Tier = z.enum(['AUTO', 'SOFT', 'HARD'])

/** How an action of a manifest will be classified; a payload, a policy or a setting can still make a call stricter. */
export const ActionView = z.object({
  action_id: z.string().describe('Id of the action in its manifest.'),
  kind: z.string().describe('The kind of the action.'),
  tier: Tier.describe('AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.'),
  /** No policy and no setting goes below it. */
  floor: Tier.describe('The lowest tier that this allows.'),
  reasons: z
    .array(
      z.object({
        signal: z.string().describe('The signal that was found.'),
        value: z.string().optional().describe('The value of the signal.'),
        floor: Tier.optional().describe('The lowest tier that this allows.'),
      }),
    )
    .describe('What the classification follows from.'),
})
