import { ApprovalFilters, listApprovals } from '../../shared/govern/approvals/views/list.ts'
import { ApprovalView } from '../../shared/govern/approvals/views/approval.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { approvals } from './routes.ts'

export const shapes = { query: ListQuery.extend(ApprovalFilters.shape), response: listView(ApprovalView) }

export const handler = endpoint(approvals.list, shapes, ({ query, ctx }) => listApprovals(ctx, query))
