// Gathers the facts of an action and evaluates it: for a new request, for a held action before it runs, and for past
// executions in a dry run.
import type { Context } from '../../base/context.ts'
import { DAY_MS } from '../../base/lib/clock.ts'
import type { Governance } from '../governance/governance.ts'
import type { Classification } from '../governance/words/classify.ts'
import { type Decision, evaluate } from '../governance/decide/evaluate.ts'
import type { Over } from '../governance/decide/evaluation.ts'
import type { FactName, Facts } from '../governance/conditions/fact-list.ts'
import type { Frozen } from '../governance/freeze.ts'
import { factsOf } from '../governance/decide/policy-facts.ts'
import type { Tier } from '../../base/catalog/kinds.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { Learned } from '../learned/learned-for.ts'
import type { LoadedAction } from '../manifests/load.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { Execution } from './execution.ts'
import type { Origin } from './first-transaction.ts'
import type { CompiledSet } from '../governance/conditions/compile.ts'
import type { LimitCheck } from '../limits/counting.ts'
import { type Plan, plansFor } from '../limits/counters.ts'
import { partiesOf } from '../limits/parties.ts'
import { type Reserved, weigh } from '../limits/weigh.ts'

/** Seconds since an equal request ran or was made, and since people rejected one. */
export type Ages = { repeated: number; refused: number }

/** An age that says: not within the last 24 hours. A condition such as `lt 3600` is then false, and never unknown. */
export const NEVER_S = DAY_MS / 1_000

/** The facts that say so. They are looked for only where a policy reads one. */
export const AGES = ['request.repeated', 'request.refused'] as const satisfies FactName[]

/** What a decision is about. */
export type Question = {
  governance: Governance
  action: LoadedAction
  payload: JsonObject | null
  classification: Classification
  asked: { require_approval?: boolean | undefined; tier?: Tier | undefined }
  /** `roles` are absent when they are no longer known. */
  requester: Execution['requested_by'] & {
    client_id?: string | undefined
    roles?: readonly string[] | undefined
    persons: readonly string[]
  }
  agent_id: string | undefined
  /** The credential names the agent; an agent that only the request names can make no decision looser. */
  agent_bound?: true | undefined
  decision_contract_id?: number | undefined
  /** Declared by the caller. */
  context?: JsonObject | undefined
  /** Absent where it is no longer known. */
  origin?: Omit<Origin, 'roles'> | undefined
  /** Set for an undo; `exact`: the manifest says that it is the exact inverse; `marks`: nothing runs. */
  undo?: { exact: boolean; marks?: true | undefined } | undefined
  /** The freezes that stop it; none where the past is decided on again. */
  frozen: readonly Frozen[]
  /** What was learnt about the action, and about its requester. */
  learned: Learned
  /** Which policies with `after` follow on a mark; absent if it is not known. */
  followed?: Over | undefined
  /** Absent if no policy reads them, and for past executions. */
  ages?: Ages | undefined
  /** Time of the request (ms); default: now. */
  at?: number
  /** Whether limits are exceeded; see limits/weigh.ts. */
  over?: Over | undefined
}

async function factsFor(ctx: Context, question: Question): Promise<Facts> {
  const { action, classification, asked, payload } = question
  const { plan } = await tenantOf(ctx.table, ctx.space.tenant_id)
  const { agent_id, agent_bound = false, learned } = question
  const { type, id, client_id, roles } = question.requester
  return factsOf({
    node: action.node,
    environment: action.environment,
    endpoint: action.endpoint,
    listing_tier: action.listing_tier,
    classification,
    plan,
    principal: { id, client_id, roles, type: type === 'user' || type === 'client' ? type : 'api_key' },
    agent: agent_id === undefined ? undefined : { id: agent_id, bound: agent_bound },
    standing: learned.standing,
    request: {
      ...asked,
      ...question.ages,
      at: question.at ?? ctx.now(),
      decision_contract_id: question.decision_contract_id,
      ip: question.origin?.ip,
      country: question.origin?.country,
      allow_listed: question.origin?.allow_listed,
      persona_key: learned.persona?.persona_key,
    },
    context: question.context,
    payload: payload ?? undefined,
  })
}

/** What refuses an action that people would be asked about: how many of the requester wait, or that they have just refused it. */
export type Unasked = Pick<Parameters<typeof evaluate>[0], 'openApprovals' | 'refused'>

export async function evaluateAction(ctx: Context, question: Question, unasked: Unasked = {}): Promise<Decision> {
  const { governance, action, classification, asked, learned, undo, over, frozen } = question
  const facts = await factsFor(ctx, question)
  const { set, settings } = governance
  const { endpoint } = action
  const { routing, raise_below, persona, model, standing } = learned
  return evaluate({
    classification,
    facts,
    set,
    over,
    settings,
    endpoint,
    request: asked,
    ...unasked,
    followed: question.followed,
    frozen,
    undo,
    routing,
    raise_below,
    persona,
    model,
    trust: standing?.trust,
  })
}

/** The counters that an action would add to; none if no policy has a limit. */
export async function plansOf(ctx: Context, question: Question): Promise<Plan[]> {
  const { set } = question.governance
  if (set.limited.length === 0) return []
  const { requester, agent_id, agent_bound, classification } = question
  const { recipientHosts } = classification.inspection
  const parties = await partiesOf({ ...requester, agent_id, agent_bound }, recipientHosts, countsByDomain(set))
  return plansFor(set, await factsFor(ctx, question), parties)
}

const countsByDomain = ({ limited }: CompiledSet) =>
  limited.some(({ policy }) => policy.limit?.per.includes('recipient_domain'))

/** The limits of an action compared with their totals; undefined where nothing is counted. `fresh`: by what the table has now. */
export async function limitCheckOf(
  ctx: Context,
  question: Question,
  reserved: Reserved,
  fresh = false,
): Promise<LimitCheck | undefined> {
  if (question.undo?.marks) return withoutLimits(question.governance.set)
  const plans = await plansOf(ctx, question)
  return plans.length === 0 ? undefined : { ...(await weigh(ctx, plans, reserved, fresh)), reserved }
}

/** For an action that does not run, or was counted when it began: no limit refuses it. */
export const withoutLimits = ({ limited }: CompiledSet): LimitCheck => ({
  over: new Map(limited.map(({ policy }) => [policy.policy_id, false])),
  weighed: [],
  reserved: new Map(),
})
