import * as z from 'zod'
import { displayName, freeForm, optional, plainText } from '../../base/wire/fields.ts'

/** Body of `/agent/execute`. `tier` only raises. */
export const AgentExecuteBody = z.strictObject({
  tier: z
    .enum(['AUTO', 'SOFT', 'HARD'])
    .describe('The tier that the caller expects. A stricter decision overrides it.'),
  command: z.string().min(1).max(8_000).describe('The command for the agent, in plain words.'),
  agent_id: optional(displayName(120)).describe(
    'Id of the agent, which is bound to the credential or stated in the request.',
  ),
  context: optional(freeForm).describe('Facts about the request, stated by the caller.'),
  persona_key: optional(plainText(120)).describe('Key of the persona that the agent uses.'),
})
export type AgentExecuteBody = z.output<typeof AgentExecuteBody>
