// From a request to a decision: checks what only the action and the credential can say, and asks the engine.
import type { Context } from '../../base/context.ts'
import type { Governance } from '../governance/active.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { Failure, forbidden, invalid, type Violation } from '../../base/lib/failure.ts'
import type { LoadedAction } from '../manifests/load.ts'
import { evaluateNewAction } from './evaluate-action.ts'
import { classifyAction } from './classify-action.ts'
import type { Inputs } from './inputs.ts'
import type { ExecuteBody } from './request.ts'
import type { Submission } from './submission.ts'

type Request = Pick<
  Submission,
  'payload' | 'asked' | 'agent_id' | 'agent_bound' | 'decision_contract_id' | 'context' | 'undo'
>

/** What is decided on, and under what. */
type Basis = { governance: Governance; action: LoadedAction }

/** Puts a request of the caller before the engine. */
export async function decideFor(ctx: Context, { governance, action }: Basis, request: Request): Promise<Submission> {
  const { kind: type, id, roles } = ctx.principal
  const decision = await evaluateNewAction(ctx, {
    ...request,
    governance,
    action,
    agent_id: request.agent_id,
    classification: await classifyAction(action, request.payload, governance.settings),
    requester: { type, id, roles },
    ip: ctx.request.ip,
  })
  return { ...request, action, decision, policy_set_version: governance.policy_set_version }
}

/** The submission of an execution request. Throws 403 for a foreign agent, 422 for what the action's schema refuses. */
export async function decideOn(ctx: Context, { governance, action }: Inputs, body: ExecuteBody): Promise<Submission> {
  const { payload, policy_context: said, decision_contract_id } = body
  mustNameKnownContext(ctx, said)
  const violations = await payloadViolations(action, payload)
  if (violations.length > 0) throw new Failure('invalid', violations)
  const agent = agentOfRequest(ctx, said?.agent_id)
  const asked = { require_approval: said?.require_approval ?? false }
  const context = said?.context && scalarsOf(said.context)
  return {
    ...(await decideFor(ctx, { governance, action }, { payload, asked, ...agent, decision_contract_id, context })),
    data_subject: said?.data_subject,
    latency_budget_ms: body.routing_hints?.latency_budget_ms,
    sandbox: said?.sandbox,
  }
}

function mustNameKnownContext(ctx: Context, said: ExecuteBody['policy_context']): void {
  if (said?.persona_key !== undefined) throw invalid(['policy_context', 'persona_key'], 'unknown persona')
  if (said?.sandbox && ctx.space.mode !== 'test') throw invalid(['policy_context', 'sandbox'], 'only in test mode')
}

/** The agent of the request: the one bound to the credential, else the one it names, which nothing proves. */
export function agentOfRequest({ principal: { agent_id } }: Context, named?: string) {
  if (agent_id === undefined) return { agent_id: named }
  if (named !== undefined && named !== agent_id) throw forbidden('agent_id is not the agent bound to this credential.')
  return { agent_id, agent_bound: true as const }
}

/** What a payload breaks of the action's schema. The checker is loaded with the first action that has a schema. */
export async function payloadViolations(
  { endpoint, manifest_sha256 }: LoadedAction,
  payload: JsonObject,
): Promise<Violation[]> {
  if (!endpoint.input_schema) return []
  const { checkPayload } = await import('../manifests/check-payload.ts')
  return checkPayload(`${manifest_sha256}/${endpoint.action_id}`, endpoint.input_schema, payload)
}

/** They stand in the execution, beside everything else that it holds. */
const CONTEXT_BYTES_MAX = 8_192

/** Only scalars become facts, so nothing else of the context is kept. */
function scalarsOf(context: JsonObject): JsonObject {
  const scalars = Object.fromEntries(Object.entries(context).filter(([, value]) => typeof value !== 'object'))
  if (Buffer.byteLength(JSON.stringify(scalars)) > CONTEXT_BYTES_MAX) {
    throw invalid(['policy_context', 'context'], `must not exceed ${CONTEXT_BYTES_MAX} bytes`)
  }
  return scalars
}
