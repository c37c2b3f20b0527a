import { replayApproval, ApprovalWithExecution, voteAnswer } from '../../shared/approvals/reply.ts'
import { castVote } from '../../shared/approvals/cast-vote.ts'
import { loadVoteInputs } from '../../shared/approvals/inputs.ts'
import { DecisionBody } from '../../shared/approvals/request.ts'
import { textSeal } from '../../shared/evidence/seal.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { body: DecisionBody, reply: ApprovalWithExecution }

/** Approves a held action, which then runs. */
export const handler = endpoint(
  approvals.approve,
  shapes,
  async ({ body, ctx, governance }) => voteAnswer(await castVote(ctx, governance, { decision: 'approve', ...body })),
  { govern: loadVoteInputs, replay: replayApproval, protect: textSeal('body') },
)
