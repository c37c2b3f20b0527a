import '../effects.ts'
import { ApprovalExecutionView } from '../../shared/govern/approvals/approval-view.ts'
import { replayVote, voteResponse } from '../../shared/govern/approvals/vote-response.ts'
import { castVote } from '../../shared/govern/approvals/cast-vote.ts'
import { loadVoteInputs } from '../../shared/govern/approvals/inputs.ts'
import { ApproveBody } from '../../shared/govern/approvals/request.ts'
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
