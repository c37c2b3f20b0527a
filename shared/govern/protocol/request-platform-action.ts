// Requests an action of a node of the service itself for the caller: policies, approvals and evidence apply as to any action.
import type { Context } from '../../base/context.ts'
import type { Write } from '../../base/table/entity.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { Execution } from '../executions/execution.ts'
import { loadInputs } from '../executions/inputs.ts'
import type { Submission, Submitted } from '../executions/submission.ts'
import { agentOfRequest, decideFor } from './decide.ts'
import { submit } from './submit.ts'

export type OwnAction = {
  node_id: string
  action_id: string
  payload: JsonObject
  asked: Execution['asked']
}

/** `joining` returns the writes that join the first transaction of the execution. It is called with the id and the decision. */
export async function requestOwn(
  ctx: Context,
  { node_id, action_id, payload, asked }: OwnAction,
  joining: (execution_id: string, decision: Submission['decision']) => Write[],
): Promise<Submitted> {
  const inputs = await loadInputs(ctx.table, ctx.space, { body: { node_id, action_id }, caller: ctx.principal })
  const submission = await decideFor(ctx, inputs, { payload, asked, ...agentOfRequest(ctx) })
  const execution_id = ctx.id('exe')
  return submit(ctx, {
    ...submission,
    own: { execution_id, writes: ({ decision }) => joining(execution_id, decision) },
  })
}
