import { ApprovalFilters, listApprovals } from '../../shared/approvals/list.ts'
import { ApprovalView } from '../../shared/approvals/reply.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { ListQuery, listReply } from '../../shared/http/pagination.ts'
import { approvals } from './routes.ts'

export const shapes = { query: ListQuery.extend(ApprovalFilters.shape), reply: listReply(ApprovalView) }

export const handler = endpoint(approvals.list, shapes, ({ query, ctx }) => listApprovals(ctx, query))
