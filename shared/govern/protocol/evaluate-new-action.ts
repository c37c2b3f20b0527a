import { actsDirectly, type Context } from '../../base/context.ts'
import { waitingCount } from '../approvals/flood.ts'
import { countingOf } from '../executions/counting-of.ts'
import { evaluateAction, type Question } from '../executions/evaluate-action.ts'
import type { Decision } from '../governance/evaluate.ts'
import { type Counting, retryAfter } from '../limits/counting.ts'
import type { Reserved } from '../limits/weigh.ts'

/** A decision, and what it counts. */
export type Counted = { decision: Decision; counting: Counting | undefined }

/** Decides on a new request. `reserved`: what earlier decisions on it have reserved. */
export async function evaluateNewAction(ctx: Context, asked: Question, reserved: Reserved): Promise<Counted> {
  const { decision: first, counting } = await countedDecision(ctx, asked, reserved)
  const decision = await withoutFlood(ctx, { ...asked, over: counting?.over }, first)
  return { decision: counting ? withWait(ctx, decision, counting) : decision, counting }
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

/** Refused when too many actions of the same caller wait for approval. People by themselves cannot ask that fast. */
async function withoutFlood(ctx: Context, question: Question, decision: Decision): Promise<Decision> {
  const { requester, governance } = question
  if (decision.outcome !== 'hold' || actsDirectly(requester)) return decision
  const { max_open_approvals: max } = governance.settings
  const waiting = await waitingCount(ctx, requester.id, max)
  return waiting < max ? decision : evaluateAction(ctx, question, waiting)
}

/** Says when limits that alone refuse an action would let it pass. */
function withWait(ctx: Context, decision: Decision, counting: Counting): Decision {
  const { rejection, fired } = decision
  if (!rejection?.history) return decision
  const refusing = fired.filter(({ outcome }) => outcome === 'rejected').map(({ policy_id }) => policy_id)
  const retry_after_s = retryAfter(ctx, counting, refusing)
  return retry_after_s === undefined ? decision : { ...decision, rejection: { ...rejection, retry_after_s } }
}
