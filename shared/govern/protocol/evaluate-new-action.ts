import { actsDirectly, type Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { waitingCount } from '../approvals/flood.ts'
import { AGES, countingOf, evaluateAction, type Question } from '../executions/evaluate-action.ts'
import type { Past } from '../executions/submission.ts'
import type { Decision } from '../governance/decide/evaluate.ts'
import { type Counting, retryAfter } from '../limits/counting.ts'
import type { Reserved } from '../limits/weigh.ts'

/** A decision, and what it counts. */
export type Counted = { decision: Decision; counting: Counting | undefined; past?: Past | undefined }

/** Decides on a new request. `reserved`: what earlier decisions on it have reserved. */
export async function evaluateNewAction(ctx: Context, asked: Question, reserved: Reserved): Promise<Counted> {
  const { reads } = asked.governance.set
  const early = AGES.some((fact) => reads.has(fact)) ? await lookBack(ctx, asked) : undefined
  const question = early ? { ...asked, ages: early.ages } : asked
  const { decision: first, counting } = await countedDecision(ctx, question, reserved)
  if (first.outcome !== 'hold') return { decision: counting ? withWait(ctx, first, counting) : first, counting }
  const { decision, past } = await withoutRepeat(ctx, { ...question, over: counting?.over }, first, early)
  return { decision: counting ? withWait(ctx, decision, counting) : decision, counting, past }
}

/** What is held adds nothing yet, so no condition of its transaction would tell that others have filled a limit: it is looked up. */
async function countedDecision(ctx: Context, asked: Question, reserved: Reserved, fresh = false): Promise<Counted> {
  const counting = await countingOf(ctx, asked, reserved, fresh)
  const decision = await evaluateAction(ctx, { ...asked, over: counting?.over })
  const isOpen = counting?.weighed.some(({ over, shadow, requests }) => !over && !shadow && !requests) ?? false
  return decision.outcome === 'hold' && isOpen && !fresh
    ? countedDecision(ctx, asked, reserved, true)
    : { decision, counting }
}

type LookedBack = Awaited<ReturnType<typeof lookBack>>

/** Loaded only for what is held, and where a policy reads it. */
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
 * Nobody is asked about what people have just refused, nor about too much of one caller at a time; people by themselves cannot ask that
 * fast. An undo is never refused for having been asked before: it takes
 * back what runs already.
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
function withWait(ctx: Context, decision: Decision, counting: Counting): Decision {
  const { rejection, fired } = decision
  if (!rejection?.history) return decision
  const refusing = fired.filter(({ outcome }) => outcome === 'rejected').map(({ policy_id }) => policy_id)
  const retry_after_s = retryAfter(ctx, counting, refusing)
  return retry_after_s === undefined ? decision : { ...decision, rejection: { ...rejection, retry_after_s } }
}
