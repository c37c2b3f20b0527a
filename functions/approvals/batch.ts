import '../effects.ts'
import { BatchBody, BatchReply, voteOnAll } from '../../shared/govern/approvals/votes/batch.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { body: BatchBody, response: BatchReply }

/** Approves or rejects several held actions, each by a vote of its own. */
export const handler = endpoint(approvals.batch, shapes, ({ body, ctx }) => voteOnAll(ctx, body))
