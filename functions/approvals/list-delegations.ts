import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { DelegationFilters, DelegationView, listDelegations } from '../../shared/govern/delegations/view.ts'
import { approvals } from './routes.ts'

export const shapes = { query: ListQuery.extend(DelegationFilters.shape), response: listView(DelegationView) }

export const handler = endpoint(approvals.listDelegations, shapes, ({ query, ctx }) =>
  listDelegations(ctx, approvals.listDelegations.id, query),
)
