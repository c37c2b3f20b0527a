import type { Context } from '../../base/context.ts'
import { waitingCount } from '../approvals/flood.ts'
import { evaluateAction, type Question } from '../executions/evaluate-action.ts'
import type { Decision } from '../governance/evaluate.ts'

/** Like `evaluateAction`, for a new request: refused when too many actions of the same key or client wait for approval. */
export async function evaluateNewAction(ctx: Context, question: Question): Promise<Decision> {
  const { requester, governance } = question
  const decision = await evaluateAction(ctx, question)
  if (decision.outcome !== 'hold' || requester.type === 'user') return decision
  const waiting = await waitingCount(ctx, requester.id)
  return waiting < governance.settings.max_open_approvals ? decision : evaluateAction(ctx, question, waiting)
}
