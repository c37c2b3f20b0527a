// From a request to a decision: checks the request against its action and its credential, and evaluates it.
import { actsDirectly, type Context } from '../../base/context.ts'
import { activeGovernance } from '../governance/governance.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { Failure, forbidden, invalid } from '../../base/lib/failure.ts'
import { frozenBy } from '../governance/freeze.ts'
import { unitsOf } from '../learned/learned.ts'
import { learnedFor, type LearnedReads, readLearned } from '../learned/learned-for.ts'
import { REQUESTED_AT } from '../manifests/platform-nodes.ts'
import type { Reserved } from '../limits/weigh.ts'
import { calledBy } from '../governance/decide/policy-facts.ts'
import { payloadViolations } from '../manifests/payload-violations.ts'
import { actorsBehind } from '../executions/measures.ts'
import { classifyAction, foundInPayload } from '../executions/payload.ts'
import type { Inputs } from '../executions/inputs.ts'
import { followedNow, recentActionsOf, readRecentActions } from '../executions/recent-actions.ts'
import { originOf } from '../executions/first-transaction.ts'
import type { ExecuteBody } from '../executions/request.ts'
import type { Past, Submission } from '../executions/submission.ts'
import { iso } from '../../base/lib/clock.ts'
import { waitingCount } from '../approvals/flood.ts'
import { AGES, limitCheckOf, evaluateAction, type Question } from '../executions/evaluate-action.ts'
import type { Decision } from '../governance/decide/evaluate.ts'
import { type LimitCheck, retryAfter } from '../limits/counting.ts'

type Request = Pick<
  Submission,
  'payload' | 'asked' | 'agent_id' | 'agent_bound' | 'decision_contract_id' | 'context' | 'undo'
> & {
  /** A person who may lift freezes wants the action in spite of them. */
  despiteFreezes?: boolean
}

/**
 * The action and the policies to decide by. `learned` and `states` are read here unless they were read before. `reserved`: shares of
 * counters, by earlier decisions on the same request.
 */
type Basis = Pick<Inputs, 'governance' | 'action'> &
  Partial<Pick<Inputs, 'states'>> & { learned?: LearnedReads | undefined; reserved?: Reserved }

/**
 * Decides on a request of the caller, and stores nothing. The caller is taken from the credential, never from the payload. The decision is
 * valid for two seconds; `again` makes it anew, by the policies and counters of that time.
 */
export async function decideFor(
  ctx: Context,
  { governance, action, learned: known, states, reserved = new Map() }: Basis,
  request: Request,
): Promise<Submission> {
  const { kind: type, id, client_id, roles, persons } = ctx.principal
  const { set, settings, policy_set_version, read_at } = governance
  const { payload, agent_id, agent_bound, despiteFreezes = false } = request
  const requested_by = { type, id }
  const actors = actorsBehind({ requested_by, agent_id, agent_bound })
  const [node_id, action_id] = [action.node.id, action.endpoint.action_id]
  const reads = known ?? (await readLearned(ctx.table, ctx.space, { node_id, action_id, actors }))
  const units = unitsOf({ requested_by, persons }, actors)
  const learned = await learnedFor(ctx, reads, { action, payload, actors, units, raise_below: settings.raise_below })
  const classification = await classifyAction(action, payload, governance, learned.standing?.trust)
  const { kind } = classification
  const freezable = {
    node_id,
    kind,
    requester: { type, id, client_id, persons },
    agent_id,
    agent_bound,
    called: calledBy(action),
  }
  const origin = await originOf(ctx, set)
  const actor = { requested_by, persons: [...persons], trace_id: ctx.request.trace_id, agent_id, agent_bound }
  const marks = await readRecentActions(ctx, set, actor, states)
  const question = {
    ...request,
    governance,
    action,
    agent_id,
    learned,
    classification,
    frozen: despiteFreezes ? [] : frozenBy(governance.freezes, freezable),
    requester: { type, id, client_id, roles, persons },
    origin,
    followed: followedNow(marks, ctx.now()),
  }
  const evaluated = await evaluateNewAction(ctx, question, reserved)
  const pii = await foundInPayload(ctx, classification, settings)
  const { inspection } = classification
  const leaves = recentActionsOf(ctx, set, actor, { action, kind: evaluated.decision.routing_decision.kind }, marks)
  const again = async () => {
    const now = await activeGovernance(ctx.table, ctx.space)
    return decideFor(ctx, { governance: now, action, learned: reads, reserved }, request)
  }
  const decided = { ...request, action, ...evaluated, learned, policy_set_version, pii, inspection, origin }
  return { ...decided, marks: leaves, read_at, again }
}

type Asked = Pick<ExecuteBody, 'node_id' | 'action_id' | 'payload'> & Partial<ExecuteBody>

/** Decides on the body of an execution request. Throws 403 for another agent, 422 for a payload that breaks the action's schema. */
export async function decideOn(ctx: Context, inputs: Inputs, body: Asked): Promise<Submission> {
  const { payload, policy_context: policyContext, decision_contract_id } = body
  mustBeRequestedHere(body.node_id)
  mustNameKnownContext(ctx, policyContext)
  mustBeKnownPersona(inputs.learned, ['policy_context', 'persona_key'])
  const violations = await payloadViolations(inputs.action, payload)
  if (violations.length > 0) throw new Failure('invalid', violations)
  const agent = agentOfRequest(ctx, policyContext?.agent_id)
  const asked = { require_approval: policyContext?.require_approval ?? false }
  const context = policyContext?.context && scalarsOf(policyContext.context)
  return {
    ...(await decideFor(ctx, inputs, { payload, asked, ...agent, decision_contract_id, context })),
    data_subject: policyContext?.data_subject,
    latency_budget_ms: body.routing_hints?.latency_budget_ms,
    sandbox: policyContext?.sandbox,
  }
}

/** Some nodes of the service are used through their endpoints alone, which check who may ask and the form of the request. */
function mustBeRequestedHere(nodeId: string): void {
  const at = REQUESTED_AT[nodeId]
  if (at !== undefined) throw invalid(['node_id'], `is requested through ${at} only`)
}

function mustNameKnownContext(ctx: Context, policyContext: ExecuteBody['policy_context']): void {
  if (policyContext?.sandbox && ctx.space.mode !== 'test')
    throw invalid(['policy_context', 'sandbox'], 'is allowed only in test mode')
}

/** Throws 422 for a persona that nobody has, or that is switched off. */
export function mustBeKnownPersona({ persona_key, persona }: LearnedReads, loc: string[]): void {
  if (persona_key === undefined || persona?.enabled) return
  throw invalid(loc, persona ? 'is a disabled persona' : 'is no known persona')
}

/** The agent of the request: the one bound to the credential, else the one that the request names without proof. */
export function agentOfRequest({ principal: { agent_id } }: Context, named?: string) {
  if (agent_id === undefined) return { agent_id: named }
  if (named !== undefined && named !== agent_id)
    throw forbidden('Your credential is bound to another agent. Leave agent_id out, or name the bound agent.')
  return { agent_id, agent_bound: true as const }
}

/** The scalars of the context are stored in the execution item. */
const CONTEXT_BYTES_MAX = 8_192

/** Only scalars become facts, so nothing else of the context is stored. */
function scalarsOf(context: JsonObject): JsonObject {
  const scalars = Object.fromEntries(Object.entries(context).filter(([, value]) => typeof value !== 'object'))
  if (Buffer.byteLength(JSON.stringify(scalars)) > CONTEXT_BYTES_MAX) {
    throw invalid(['policy_context', 'context'], `must not exceed ${CONTEXT_BYTES_MAX} bytes`)
  }
  return scalars
}

/** A decision, and what it counts. */
export type DecidedWithLimits = { decision: Decision; counting: LimitCheck | undefined; past?: Past | undefined }

/** Decides on a new request. `reserved`: what earlier decisions on it have reserved. */
async function evaluateNewAction(ctx: Context, asked: Question, reserved: Reserved): Promise<DecidedWithLimits> {
  const { reads } = asked.governance.set
  const early = AGES.some((fact) => reads.has(fact)) ? await lookBack(ctx, asked) : undefined
  const question = early ? { ...asked, ages: early.ages } : asked
  const { decision: first, counting } = await countedDecision(ctx, question, reserved)
  if (first.outcome !== 'hold') return { decision: counting ? withWait(ctx, first, counting) : first, counting }
  const { decision, past } = await withoutRepeat(ctx, { ...question, over: counting?.over }, first, early)
  return { decision: counting ? withWait(ctx, decision, counting) : decision, counting, past }
}

/**
 * An action that is held adds nothing yet, so no condition of its transaction fails when others have filled a limit. Its counters are
 * read again instead.
 */
async function countedDecision(
  ctx: Context,
  asked: Question,
  reserved: Reserved,
  fresh = false,
): Promise<DecidedWithLimits> {
  const counting = await limitCheckOf(ctx, asked, reserved, fresh)
  const decision = await evaluateAction(ctx, { ...asked, over: counting?.over })
  const isOpen = counting?.weighed.some(({ over, shadow, requests }) => !over && !shadow && !requests) ?? false
  return decision.outcome === 'hold' && isOpen && !fresh
    ? countedDecision(ctx, asked, reserved, true)
    : { decision, counting }
}

type LookedBack = Awaited<ReturnType<typeof lookBack>>

/** Loaded only for an action that is held, and where a policy reads the ages of equal requests. */
async function lookBack(ctx: Context, { action, requester, payload, agent_id, agent_bound, governance }: Question) {
  const { agesOf, equalTo, lastRefused, nextId, repeatKey, waitingTwin } = await import('../approvals/repeats.ts')
  const { type, id, client_id, persons } = requester
  const requested_by = { type, id }
  const [node_id, action_id] = [action.node.id, action.endpoint.action_id]
  const repeat_key = await repeatKey(ctx.space, { node_id, action_id, persons, requested_by }, payload)
  const equals = await equalTo(ctx, repeat_key)
  const now = ctx.now()
  const asked = { requested_by, client_id, agent_id, agent_bound, version: action.node.version }
  const answered = governance.settings.answer_repeats && {
    waiting: waitingTwin(equals, asked, iso(now))?.request_id,
    approval_id: await nextId(ctx.space, repeat_key, { equals, asked, at: now }),
  }
  return {
    ages: agesOf(equals, { now, before: iso(now) }),
    refused: lastRefused(equals),
    past: { repeat_key, ...answered },
  }
}

/**
 * Refuses to ask people about an equal of a request that they have just rejected, and about too many requests of one caller at a time;
 * people themselves cannot ask that fast. An undo is never refused as a repeat, because it takes back an action that has run already.
 */
async function withoutRepeat(ctx: Context, question: Question, decision: Decision, early: LookedBack | undefined) {
  const { requester, governance, undo } = question
  const { max_open_approvals: max, refusal_holds_s } = governance.settings
  const [{ refused, past }, waiting] = await Promise.all([
    early ?? lookBack(ctx, question),
    actsDirectly(requester) ? 0 : waitingCount(ctx, requester.id, max),
  ])
  const until = Date.parse(refused?.decided_at ?? '') + refusal_holds_s * 1_000
  if (refused && !undo && until > ctx.now()) {
    const wait_s = Math.ceil((until - ctx.now()) / 1_000)
    const again = await evaluateAction(ctx, question, { refused: { approval_id: refused.id, wait_s } })
    return { decision: withRetry(again, wait_s), past }
  }
  if (waiting < max) return { decision, past }
  return { decision: await evaluateAction(ctx, question, { openApprovals: waiting }), past }
}

const withRetry = (decision: Decision, retry_after_s: number): Decision =>
  decision.rejection ? { ...decision, rejection: { ...decision.rejection, retry_after_s } } : decision

/** Says when limits that alone refuse an action would let it pass. */
function withWait(ctx: Context, decision: Decision, counting: LimitCheck): Decision {
  const { rejection, fired } = decision
  if (!rejection?.history) return decision
  const refusing = fired.filter(({ outcome }) => outcome === 'rejected').map(({ policy_id }) => policy_id)
  const retry_after_s = retryAfter(ctx, counting, refusing)
  return retry_after_s === undefined ? decision : { ...decision, rejection: { ...rejection, retry_after_s } }
}
