// Decides on a held action once more, under the policies and the manifest that are in force now, with what is known of the
// request that asked for it.
import type { Context } from '../../base/context.ts'
import type { Governance } from '../governance/active.ts'
import type { Decision } from '../governance/evaluate.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { LoadedAction } from '../manifests/load.ts'
import { evaluateAction } from './evaluate-action.ts'
import { classifyAction } from './classify-action.ts'
import { payloadViolations } from './decide.ts'
import type { Execution } from './execution.ts'
import { openOrigin } from './origin.ts'
import type { Refusal } from './rejection.ts'

/** `action` is undefined when the node no longer has it. */
export type HeldAction = { governance: Governance; action: LoadedAction | undefined; execution: Execution }

export type Decided = { action: LoadedAction; decision: Decision }
export type SecondDecision = Decided | { refusal: Refusal }

const refused = (message: string): SecondDecision => ({ refusal: { policy_id: 'manifest', message } })

/** Never looser than held, whatever the policies say by now. Facts that were not kept tighten. */
export async function decideAgain(
  ctx: Context,
  { governance, action, execution: was }: HeldAction,
  payload: JsonObject,
): Promise<SecondDecision> {
  if (!action) return refused('the action no longer exists')
  const undoes = was.undo_of !== undefined // then the payload is ours, and no caller's to get right
  if (!undoes && (await payloadViolations(action, payload)).length > 0)
    return refused('the payload no longer fits the schema of the action')
  const { agent_id, agent_bound, asked, decision_contract_id } = was
  const origin = await openOrigin(ctx, was)
  const decision = await evaluateAction(ctx, {
    governance,
    action,
    payload,
    asked,
    agent_id,
    agent_bound,
    decision_contract_id,
    context: contextOf(was),
    classification: await classifyAction(action, payload, governance.settings),
    requester: { ...was.requested_by, roles: origin?.roles },
    ip: origin?.ip,
    undo: undoes ? { exact: false } : undefined,
  })
  if (decision.rejection) return { refusal: decision.rejection }
  return { action, decision: { ...decision, routing_decision: { ...decision.routing_decision, tier: 'HARD' } } }
}

/** What the caller declared, as it was kept. */
export const contextOf = ({ context }: Execution): JsonObject | undefined =>
  context === undefined ? undefined : JSON.parse(context)
