import '../effects.ts'
import { ApprovalExecutionView } from '../../shared/govern/approvals/views/approval.ts'
import { ApproveBody, castVote, replayVote, voteResponse } from '../../shared/govern/approvals/votes/vote.ts'
import { loadVoteInputs } from '../../shared/govern/approvals/inputs.ts'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { body: ApproveBody, response: ApprovalExecutionView }

/** Approves a held action, which then runs. */
export const handler = endpoint(
  approvals.approve,
  shapes,
  async ({ body, ctx, governance }) => voteResponse(await castVote(ctx, governance, { decision: 'approve', ...body })),
  { govern: loadVoteInputs, replay: replayVote, protect: textSeal('body') },
)
