import { ApprovalDetail } from '../../shared/govern/approvals/reply.ts'
import { approvalView } from '../../shared/govern/approvals/view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { response: ApprovalDetail }

export const handler = endpoint(approvals.get, shapes, ({ params, ctx }) => approvalView(ctx, params.id))
