import { replayApproval, ApprovalWithExecution, voteAnswer } from '../../shared/approvals/reply.ts'
import { castVote } from '../../shared/approvals/cast-vote.ts'
import { DecisionBody } from '../../shared/approvals/request.ts'
import { activeGovernance } from '../../shared/governance/active.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { body: DecisionBody, reply: ApprovalWithExecution }

/** Approves a held action, which then runs. */
export const handler = endpoint(
  approvals.approve,
  shapes,
  async ({ params, body, ctx, governance }) =>
    voteAnswer(await castVote(ctx, governance, { id: params.id, decision: 'approve', ...body })),
  { govern: activeGovernance, replay: replayApproval },
)
