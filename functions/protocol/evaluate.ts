import * as z from 'zod'
import { Receipt } from '../../shared/executions/answer.ts'
import { decideOn } from '../../shared/executions/decide.ts'
import { loadInputs } from '../../shared/executions/inputs.ts'
import { ExecuteBody } from '../../shared/executions/request.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { protocol } from './routes.ts'

export const shapes = {
  body: ExecuteBody,
  reply: z.object({
    outcome: z.enum(['run', 'hold', 'reject']),
    ...Receipt.pick({
      node_id: true,
      action_id: true,
      version: true,
      policy_evaluations: true,
      routing_decision: true,
      policy_set_version: true,
    }).shape,
    detail: z.string().optional(),
  }),
}

/** Decides like execute and leaves no trace. */
export const handler = endpoint(
  protocol.evaluate,
  shapes,
  async ({ body, ctx, governance }) => {
    const { decision, action, policy_set_version } = await decideOn(ctx, governance, body)
    return {
      outcome: decision.outcome,
      node_id: action.node.id,
      action_id: action.endpoint.action_id,
      version: action.node.version,
      policy_evaluations: decision.policy_evaluations,
      routing_decision: decision.routing_decision,
      policy_set_version,
      detail: decision.rejection?.message,
    }
  },
  { govern: loadInputs },
)
