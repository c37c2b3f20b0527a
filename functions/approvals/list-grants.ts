import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { GrantView, listGrants } from '../../shared/govern/approvals/grants/list.ts'
import { approvals } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(GrantView) }

export const handler = endpoint(approvals.listGrants, shapes, ({ query, ctx }) =>
  listGrants(ctx, approvals.listGrants.id, query),
)
