import { ApprovalDetailView } from '../../shared/govern/approvals/views/approval.ts'
import { approvalDetailView } from '../../shared/govern/approvals/views/detail.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { response: ApprovalDetailView }

export const handler = endpoint(approvals.get, shapes, ({ params, ctx }) => approvalDetailView(ctx, params.id))
