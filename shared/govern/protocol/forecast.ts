// The decision on a request that is not submitted.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { Receipt, shownEvaluations } from '../executions/execution-view.ts'
import { decideOn } from './decide.ts'
import type { Inputs } from '../executions/inputs.ts'
import type { ExecuteBody } from '../executions/request.ts'

export const Forecast = z.object({
  outcome: z.enum(['run', 'hold', 'reject']).describe('The outcome that an execution would have.'),
  ...Receipt.pick({
    node_id: true,
    action_id: true,
    version: true,
    agent_bound: true,
    policy_evaluations: true,
    routing_decision: true,
    policy_set_version: true,
  }).shape,
  /** The reason of a rejection. */
  detail: z.string().optional().describe('More details.'),
})

/** Decides as `execute` would, and stores nothing. */
export async function forecast(ctx: Context, inputs: Inputs, body: ExecuteBody): Promise<z.input<typeof Forecast>> {
  const { decision, action, policy_set_version, agent_bound = false } = await decideOn(ctx, inputs, body)
  const { outcome, policy_evaluations, routing_decision, rejection } = decision
  return {
    outcome,
    node_id: action.node.id,
    action_id: action.endpoint.action_id,
    version: action.node.version,
    agent_bound,
    policy_evaluations: shownEvaluations(policy_evaluations, false),
    routing_decision,
    policy_set_version,
    detail: rejection?.message,
  }
}
