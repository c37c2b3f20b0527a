// Decides on a held action again, under the policies and the manifest that are in force now, with the stored facts of the
// original request.
import type { Context } from '../../base/context.ts'
import type { Governance } from '../governance/active.ts'
import type { Decision } from '../governance/evaluate.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { LoadedAction } from '../manifests/load.ts'
import { evaluateAction } from './evaluate-action.ts'
import { classifyAction } from './classify-action.ts'
import { payloadViolations } from '../manifests/payload-violations.ts'
import type { Execution } from './execution.ts'
import { openOrigin } from './origin.ts'
import type { Refusal } from './rejection.ts'

/** `action` is undefined when the node no longer has it. */
export type HeldAction = { governance: Governance; action: LoadedAction | undefined; execution: Execution }

export type Decided = { action: LoadedAction; decision: Decision }
export type SecondDecision = Decided | { refusal: Refusal }

const manifestRefusal = (message: string): SecondDecision => ({ refusal: { policy_id: 'manifest', message } })

/** Always HARD, even where the policies became looser. Facts that were not stored count as unknown, which tightens. */
export async function decideAgain(
  ctx: Context,
  { governance, action, execution: was }: HeldAction,
  payload: JsonObject,
): Promise<SecondDecision> {
  if (!action) return manifestRefusal('the action no longer exists')
  const undoes = was.undo_of !== undefined // the service itself made the payload, so no caller could correct it
  if (!undoes && (await payloadViolations(action, payload)).length > 0)
    return manifestRefusal('the payload no longer fits the schema of the action')
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

/** The stored context that the caller declared. */
export const contextOf = ({ context }: Execution): JsonObject | undefined =>
  context === undefined ? undefined : JSON.parse(context)
