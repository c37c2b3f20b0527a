// Decides on a command of an agent: an action of the built-in runner node, classified by the text of the command.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { agentOfRequest, decideFor, mustBeKnownPersona } from '../protocol/decide.ts'
import type { Caller } from '../learned/learned-for.ts'
import { type Inputs, loadInputs } from '../executions/inputs.ts'
import type { Submission } from '../executions/submission.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { RUNNER_ACTION_ID, RUNNER_NODE_ID } from '../manifests/load.ts'
import type { Table } from '../../base/table/table.ts'
import { displayName, freeForm, optional, plainText } from '../../base/wire/fields.ts'

type Asked = { body: Pick<AgentExecuteBody, 'persona_key' | 'agent_id'>; caller?: Caller | undefined }

/** The reads of the decision on a command. */
export const commandInputs = (table: Table, space: Space, { body, caller }: Asked): Promise<Inputs> => {
  const { persona_key, agent_id } = body
  const runner = { node_id: RUNNER_NODE_ID, action_id: RUNNER_ACTION_ID }
  return loadInputs(table, space, { body: { ...runner, policy_context: { persona_key, agent_id } }, caller })
}

/**
 * Decides on a command by its text, as on any action. Stores nothing. The tier of the caller only raises, and a stated agent never loosens.
 * Throws 403 for another agent than the bound one, 422 for an unknown persona.
 */
export async function decideOnCommand(ctx: Context, inputs: Inputs, body: AgentExecuteBody): Promise<Submission> {
  const { command, context } = body
  mustBeKnownPersona(inputs.learned, ['persona_key'])
  const payload = { command, ...(context && { context }) }
  const request = { payload, asked: { tier: body.tier }, ...agentOfRequest(ctx, body.agent_id) }
  return { ...(await decideFor(ctx, inputs, request)), command_sha256: sha256Hex(command) }
}

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
