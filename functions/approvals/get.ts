import { ApprovalDetailView } from '../../shared/govern/approvals/approval-view.ts'
import { approvalDetailView } from '../../shared/govern/approvals/approval-detail-view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { response: ApprovalDetailView }

export const handler = endpoint(approvals.get, shapes, ({ params, ctx }) => approvalDetailView(ctx, params.id))
