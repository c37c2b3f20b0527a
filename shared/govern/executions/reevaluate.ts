// Decides on a held action again, under the policies and the manifest that are in force now, with the stored facts of the
// original request.
import type { Context } from '../../base/context.ts'
import type { InForce } from '../governance/governance.ts'
import type { Decision } from '../governance/decide/evaluate.ts'
import { frozenBy, requesterOf } from '../governance/freeze.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { unitsOf, unpackUsed } from '../learned/learned.ts'
import { learnedFor, type LearnedReads, readLearned, readPersona } from '../learned/learned-for.ts'
import type { LoadedAction } from '../manifests/load.ts'
import type { LimitCheck } from '../limits/counting.ts'
import { type Ages, limitCheckOf, evaluateAction, NEVER_S, type Question, withoutLimits } from './evaluate-action.ts'
import { classifyAction } from './payload.ts'
import { calledBy } from '../governance/decide/policy-facts.ts'
import { payloadViolations } from '../manifests/payload-violations.ts'
import { actorsBehind } from './measures.ts'
import type { Execution } from './execution.ts'
import { followedNow, readRecentActions } from './recent-actions.ts'
import { openOrigin } from './first-transaction.ts'
import type { Refusal } from './events.ts'

/** `action` is undefined when the node no longer has it. */
export type HeldAction = {
  governance: InForce
  action: LoadedAction | undefined
  execution: Execution
  /** Read here, unless the caller has read it already. */
  learned?: LearnedReads | undefined
  /** Absent where no policy reads them. */
  ages?: Ages | undefined
  /** Its call is under way, so it was counted already. */
  running?: true
}

/** `counting`: the limits that it would count against if it runs. */
export type Decided = { action: LoadedAction; decision: Decision; counting: LimitCheck | undefined }
export type SecondDecision = Decided | { refusal: Refusal }

const manifestRefusal = (message: string): SecondDecision => ({ refusal: { policy_id: 'manifest', message } })

const personaRefusal = (key: string): SecondDecision => ({
  refusal: { policy_id: `persona:${key}`, message: 'the persona is no longer enabled' },
})

/** What has been learnt until now; the persona is that of the request, in its present version. */
async function readAgain({ table, space }: Context, was: Execution, known: LearnedReads | undefined) {
  const { node_id, action_id } = was
  const persona_key = unpackUsed(was.learned).persona ?? undefined
  const reads =
    known ?? (await readLearned(table, space, { node_id, action_id, persona_key, actors: actorsBehind(was) }))
  if (persona_key === undefined || reads.persona_key === persona_key) return reads
  return { ...reads, persona_key, persona: await readPersona(table, space, persona_key) }
}

/** Always HARD, even where the policies became looser. Facts that were not stored count as unknown, which tightens. */
export async function decideAgain(
  ctx: Context,
  { governance, action, execution: was, learned: known, ages, running }: HeldAction,
  payload: JsonObject,
): Promise<SecondDecision> {
  if (!action) return manifestRefusal('the action no longer exists')
  const undoes = was.undo_of !== undefined // the service itself made the payload, so no caller could correct it
  if (!undoes && (await payloadViolations(action, payload)).length > 0)
    return manifestRefusal('the payload no longer fits the schema of the action')
  const { agent_id, agent_bound, asked, decision_contract_id } = was
  const reads = await readAgain(ctx, was, known)
  if (reads.persona_key !== undefined && !reads.persona?.enabled) return personaRefusal(reads.persona_key)
  const { settings } = governance
  const actors = actorsBehind(was)
  const units = unitsOf(was, actors, unpackUsed(was.learned).drawn ?? undefined)
  const [origin, marks, learned] = await Promise.all([
    openOrigin(ctx, was),
    readRecentActions(ctx, governance.set, was),
    learnedFor(ctx, reads, { action, payload, actors, units, raise_below: settings.raise_below }),
  ])
  const classification = await classifyAction(action, payload, governance, learned.standing?.trust)
  const requester = requesterOf(was)
  const freezable = {
    node_id: was.node_id,
    kind: classification.kind,
    requester,
    agent_id,
    agent_bound,
    called: calledBy(action),
  }
  const question: Question = {
    governance,
    action,
    payload,
    asked,
    agent_id,
    agent_bound,
    decision_contract_id,
    context: contextOf(was),
    classification,
    frozen: frozenBy(governance.freezes, freezable),
    learned,
    requester: { ...requester, roles: origin?.roles },
    origin,
    followed: followedNow(marks, ctx.now()),
    ages: running ? { repeated: NEVER_S, refused: NEVER_S } : ages, // this is the call that was decided on, and repeats nothing
    undo: undoes ? { exact: false } : undefined,
  }
  const counting = running ? withoutLimits(governance.set) : await limitCheckOf(ctx, question, new Map())
  const decision = await evaluateAction(ctx, { ...question, over: counting?.over })
  if (decision.rejection) return { refusal: decision.rejection }
  const routing_decision = { ...decision.routing_decision, tier: 'HARD' as const }
  return { action, decision: { ...decision, routing_decision }, counting }
}

/** The stored context that the caller declared. */
export const contextOf = ({ context }: Execution): JsonObject | undefined =>
  context === undefined ? undefined : JSON.parse(context)
