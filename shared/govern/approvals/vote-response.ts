import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { HttpResponse, httpResponse, unchanged } from '../../base/wire/call.ts'
import { executionView } from '../executions/execution-view.ts'
import { openExecution } from '../executions/open-execution.ts'
import { visibleNow } from '../executions/visible.ts'
import { approvals } from './approval.ts'
import { approvalSlaView } from './sla.ts'
import type { Voted } from './cast-vote.ts'
import { approvalWithEvidence } from './with-evidence.ts'

/** The approval after a vote, with the execution it decides on. */
export function voteResponse({ approval, execution, opened, repeated, also_waiting }: Voted): HttpResponse {
  const at = approval.votes.at(-1)?.at ?? approval.requested_at
  const sla = approvalSlaView(approval, Date.parse(at))
  const body = { ...approval, sla, execution: executionView(execution, opened), ...alsoIn(also_waiting) }
  return repeated ? unchanged(body) : httpResponse(200, body)
}

const alsoIn = (waiting: Voted['also_waiting']) =>
  waiting && {
    also_waiting: waiting.map(({ approval: { id, request_id, action_digest, requested_at, expires_at } }) => ({
      id,
      request_id,
      action_digest,
      requested_at,
      expires_at,
    })),
  }

/** The present state, for a repeat with the same Idempotency-Key. */
export async function replayVote(ctx: Context, id: string): Promise<HttpResponse> {
  const approval = await ctx.table.get(approvals, { ...ctx.space, id })
  if (!approval) throw notFound('approval')
  const { execution, opened } = await visibleNow(ctx, openExecution(ctx, approval.request_id))
  return new HttpResponse(200, {
    ...(await approvalWithEvidence(ctx, approval, execution)),
    execution: executionView(execution, opened),
  })
}
