// Decides on a command of an agent: an action of the built-in runner node, classified by the text of the command.
import type { Context, Space } from '../../base/context.ts'
import { agentOfRequest, decideFor } from '../protocol/decide.ts'
import { type Inputs, loadInputs } from '../executions/inputs.ts'
import type { Submission } from '../executions/submission.ts'
import { invalid } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import { RUNNER_ACTION_ID, RUNNER_NODE_ID } from '../manifests/built-in.ts'
import type { Table } from '../../base/table/table.ts'
import type { AgentExecuteBody } from './request.ts'

export const commandInputs = (table: Table, space: Space): Promise<Inputs> =>
  loadInputs(table, space, { body: { node_id: RUNNER_NODE_ID, action_id: RUNNER_ACTION_ID } })

export async function decideOnCommand(ctx: Context, inputs: Inputs, body: AgentExecuteBody): Promise<Submission> {
  const { command, context } = body
  if (body.persona_key !== undefined) throw invalid(['persona_key'], 'is no known persona')
  const payload = { command, ...(context && { context }) }
  const request = { payload, asked: { tier: body.tier }, ...agentOfRequest(ctx, body.agent_id) }
  return { ...(await decideFor(ctx, inputs, request)), command_sha256: sha256Hex(command) }
}
