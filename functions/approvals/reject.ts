import '../effects.ts'
import { ApprovalExecutionView } from '../../shared/govern/approvals/approval-view.ts'
import { replayVote, voteResponse } from '../../shared/govern/approvals/vote-response.ts'
import { castVote } from '../../shared/govern/approvals/cast-vote.ts'
import { loadVoteInputs } from '../../shared/govern/approvals/inputs.ts'
import { DecisionBody } from '../../shared/govern/approvals/request.ts'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { body: DecisionBody, response: ApprovalExecutionView }

/** Rejects a held action, which then never runs. */
export const handler = endpoint(
  approvals.reject,
  shapes,
  async ({ body, ctx, governance }) => voteResponse(await castVote(ctx, governance, { decision: 'reject', ...body })),
  { govern: loadVoteInputs, replay: replayVote, protect: textSeal('body') },
)
