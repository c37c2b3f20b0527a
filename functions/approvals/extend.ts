import '../effects.ts'
import * as z from 'zod'
import { ApprovalView } from '../../shared/govern/approvals/views/approval.ts'
import { extendApproval, replayExtension } from '../../shared/govern/approvals/extend.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = {
  body: z.strictObject({ seconds: z.int().min(60).max(604_800).describe('By how much later it shall expire.') }),
  response: ApprovalView,
}

/** Lets a held action wait longer for its approvers. */
export const handler = endpoint(
  approvals.extend,
  shapes,
  ({ params, body, ctx }) => extendApproval(ctx, params.id, body.seconds),
  { replay: replayExtension },
)
