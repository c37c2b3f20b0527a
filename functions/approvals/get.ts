import { ApprovalDetail } from '../../shared/govern/approvals/reply.ts'
import { viewApproval } from '../../shared/govern/approvals/view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { reply: ApprovalDetail }

export const handler = endpoint(approvals.get, shapes, ({ params, ctx }) => viewApproval(ctx, params.id))
