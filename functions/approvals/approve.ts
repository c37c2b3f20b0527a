import { replayApproval, ApprovalWithExecution, voteView } from '../../shared/govern/approvals/reply.ts'
import { castVote } from '../../shared/govern/approvals/cast-vote.ts'
import { loadVoteInputs } from '../../shared/govern/approvals/inputs.ts'
import { DecisionBody } from '../../shared/govern/approvals/request.ts'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { body: DecisionBody, response: ApprovalWithExecution }

/** Approves a held action, which then runs. */
export const handler = endpoint(
  approvals.approve,
  shapes,
  async ({ body, ctx, governance }) => voteView(await castVote(ctx, governance, { decision: 'approve', ...body })),
  { govern: loadVoteInputs, replay: replayApproval, protect: textSeal('body') },
)
