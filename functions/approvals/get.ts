import { ApprovalDetail } from '../../shared/approvals/reply.ts'
import { viewApproval } from '../../shared/approvals/view.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { reply: ApprovalDetail }

export const handler = endpoint(approvals.get, shapes, ({ params, ctx }) => viewApproval(ctx, params.id))
