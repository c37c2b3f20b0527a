import * as z from 'zod'
import { displayName, freeForm, optional, plainText } from '../../base/wire/fields.ts'

/** Body of `/agent/execute`. `tier` only raises. */
export const AgentExecuteBody = z.strictObject({
  tier: z.enum(['AUTO', 'SOFT', 'HARD']),
  command: z.string().min(1).max(8_000),
  agent_id: optional(displayName(120)),
  context: optional(freeForm),
  persona_key: optional(plainText(120)),
})
export type AgentExecuteBody = z.output<typeof AgentExecuteBody>
