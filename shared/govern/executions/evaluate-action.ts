// Puts an action before the engine: gathers the facts that it decides on, once for a request, once more for a held action,
// and again in a replay of past ones.
import { waitingCount } from '../approvals/flood.ts'
import type { Context } from '../../base/context.ts'
import type { Governance } from '../governance/active.ts'
import type { Classification } from '../governance/classify.ts'
import { type Decision, evaluate } from '../governance/evaluate.ts'
import { factsOf } from '../governance/facts.ts'
import type { Tier } from '../../base/catalog/kinds.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { LoadedAction } from '../manifests/load.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { Execution } from './execution.ts'

/** What a decision is about, beyond the action and the payload. */
export type Question = {
  governance: Governance
  action: LoadedAction
  payload: JsonObject | null
  classification: Classification
  asked: { require_approval?: boolean | undefined; tier?: Tier | undefined }
  /** `roles` are absent when they are not known any more. */
  requester: Execution['requested_by'] & { roles?: readonly string[] | undefined }
  agent_id: string | undefined
  /** To the credential; an agent that the request only names can make no decision looser. */
  agent_bound?: true | undefined
  decision_contract_id?: number | undefined
  /** Declared by the caller. */
  context?: JsonObject | undefined
  ip?: string | undefined
  /** It undoes an execution; `exact`: as the manifest promises, precisely. */
  undo?: { exact: boolean } | undefined
  /** When it is or was asked (ms); default: now. */
  at?: number
}

export const evaluateAction = (ctx: Context, question: Question): Promise<Decision> => decide(ctx, question, undefined)

/** Like `ask` for an action that is not held yet: refused where too many of the same key or client wait already. */
export async function evaluateNewAction(ctx: Context, question: Question): Promise<Decision> {
  const { requester, governance } = question
  const decision = await evaluateAction(ctx, question)
  if (decision.outcome !== 'hold' || requester.type === 'user') return decision
  const waiting = await waitingCount(ctx, requester.id)
  return waiting < governance.settings.max_open_approvals ? decision : decide(ctx, question, waiting)
}

async function decide(ctx: Context, question: Question, openApprovals: number | undefined): Promise<Decision> {
  const { governance, action, classification, asked, payload } = question
  const { plan } = await tenantOf(ctx.table, ctx.space.tenant_id)
  const { agent_id, agent_bound = false } = question
  const { type, id, roles } = question.requester
  const facts = factsOf({
    node: action.node,
    endpoint: action.endpoint,
    listing_tier: action.listing_tier,
    classification,
    plan,
    principal: { id, roles, type: type === 'user' || type === 'client' ? type : 'api_key' },
    agent: agent_id === undefined ? undefined : { id: agent_id, bound: agent_bound },
    request: {
      ...asked,
      at: question.at ?? ctx.now(),
      decision_contract_id: question.decision_contract_id,
      ip: question.ip,
    },
    context: question.context,
    payload: payload ?? undefined,
  })
  const { set, settings } = governance
  const { endpoint } = action
  const { undo } = question
  return evaluate({ classification, facts, set, settings, endpoint, request: asked, openApprovals, undo })
}
