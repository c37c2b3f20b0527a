// From a request to a decision: gathers what the engine wants to know, checks what only the action can say, and asks it.
import type { Context } from '../context.ts'
import { openApprovals } from '../approvals/flood.ts'
import type { Governance } from '../governance/active.ts'
import type { Classification } from '../governance/classify.ts'
import { type Decision, evaluate } from '../governance/evaluate.ts'
import { factsOf } from '../governance/facts.ts'
import type { Tier } from '../governance/kinds.ts'
import type { JsonObject } from '../http/door.ts'
import { Failure, forbidden, invalid } from '../lib/failure.ts'
import type { LoadedAction } from '../manifests/load.ts'
import { tenantOf } from '../tenants/find.ts'
import { classifyAction } from './classify-action.ts'
import type { Execution } from './execution.ts'
import type { Inputs } from './inputs.ts'
import type { ExecuteBody } from './request.ts'
import type { Submission } from './submit.ts'

/** What a decision is about, beyond the action and the payload. */
export type Question = {
  governance: Governance
  action: LoadedAction
  payload: JsonObject | null
  classification: Classification
  asked: { require_approval?: boolean | undefined; tier?: Tier | undefined }
  requester: { type: Execution['requested_by']['type']; id: string; roles: readonly string[] }
  agent_id: string | undefined
  decision_contract_id?: number | undefined
  /** Declared by the caller. */
  context?: JsonObject | undefined
  ip?: string | undefined
}

/** The submission of an execution request. Throws 403 for a foreign agent, 422 for what the action's schema refuses. */
export async function decideOn(ctx: Context, { governance, action }: Inputs, body: ExecuteBody): Promise<Submission> {
  const { payload, policy_context: said, decision_contract_id } = body
  refuseUnknown(ctx, said)
  await refusePayload(action, payload)
  const agent_id = boundAgent(ctx, said?.agent_id)
  const asked = { require_approval: said?.require_approval ?? false }
  const classification = classifyAction(action, payload, governance.settings)
  const decision = await ask(ctx, {
    ...{ governance, action, payload, classification, asked, agent_id, decision_contract_id },
    requester: { type: ctx.principal.kind, id: ctx.principal.id, roles: ctx.principal.roles },
    context: said?.context,
    ip: ctx.request.ip,
  })
  return {
    ...{ action, payload, decision, asked, agent_id, decision_contract_id },
    policy_set_version: governance.policy_set_version,
    context: said?.context,
    data_subject: said?.data_subject,
    latency_budget_ms: body.routing_hints?.latency_budget_ms,
    sandbox: said?.sandbox,
  }
}

type Held = { governance: Governance; action: LoadedAction | undefined; execution: Execution }

/** Decides on a held action once more, under what is in force now; undefined when the action no longer exists. */
export async function decideAgain(ctx: Context, { governance, action, execution: was }: Held, payload: JsonObject | null) {
  if (!action) return undefined
  const classification = classifyAction(action, payload, governance.settings)
  const decision = await ask(ctx, {
    ...{ governance, action, payload, classification, agent_id: was.agent_id },
    asked: was.asked,
    requester: { ...was.requested_by, roles: [] },
    decision_contract_id: was.decision_contract_id,
    context: was.context === undefined ? undefined : JSON.parse(was.context),
  })
  return { action, decision, policy_set_version: governance.policy_set_version }
}

/** Asks the engine. */
export async function ask(ctx: Context, question: Question): Promise<Decision> {
  const { governance, action, classification, asked, requester, agent_id, payload } = question
  const { plan } = await tenantOf(ctx.table, ctx.space.tenant_id)
  const facts = factsOf({
    ...{ node: action.node, endpoint: action.endpoint, listing_tier: action.listing_tier, classification, plan },
    principal: {
      ...requester,
      type: requester.type === 'user' || requester.type === 'client' ? requester.type : 'api_key',
    },
    agent: agent_id === undefined ? undefined : { id: agent_id },
    request: {
      at: ctx.now(),
      tier: asked.tier,
      require_approval: asked.require_approval,
      decision_contract_id: question.decision_contract_id,
      ip: question.ip,
    },
    context: question.context,
    payload: payload ?? undefined,
  })
  const decision = evaluate({
    classification,
    facts,
    set: governance.set,
    settings: governance.settings,
    endpoint: action.endpoint,
    request: asked,
  })
  if (decision.outcome !== 'hold') return decision
  const open = await openApprovals(ctx, requester.id)
  if (open < governance.settings.max_open_approvals) return decision
  return evaluate({
    classification,
    facts,
    set: governance.set,
    settings: governance.settings,
    endpoint: action.endpoint,
    request: asked,
    openApprovals: open,
  })
}

function refuseUnknown(ctx: Context, said: ExecuteBody['policy_context']): void {
  if (said?.persona_key !== undefined) throw invalid(['policy_context', 'persona_key'], 'unknown persona')
  if (said?.sandbox && ctx.space.mode !== 'test') throw invalid(['policy_context', 'sandbox'], 'only in test mode')
}

/** The agent of the request: the one bound to the credential, else the one it names. */
export function boundAgent({ principal }: Context, named: string | undefined): string | undefined {
  if (named !== undefined && principal.agent_id !== undefined && named !== principal.agent_id) {
    throw forbidden('agent_id is not the agent bound to this credential.')
  }
  return principal.agent_id ?? named
}

/** The schema checker is loaded with the first action that has a schema. */
async function refusePayload({ endpoint, manifest_sha256 }: LoadedAction, payload: JsonObject): Promise<void> {
  if (!endpoint.input_schema) return
  const { checkPayload } = await import('../manifests/check-payload.ts')
  const violations = checkPayload(`${manifest_sha256}/${endpoint.action_id}`, endpoint.input_schema, payload)
  if (violations.length > 0) throw new Failure('invalid', violations)
}
