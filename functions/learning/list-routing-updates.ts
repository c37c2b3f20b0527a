import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { listUpdates, RoutingUpdateView, UpdateFilters } from '../../shared/learn/routing/list-updates.ts'
import { learning } from './routes.ts'

export const shapes = { query: ListQuery.extend(UpdateFilters.shape), response: listView(RoutingUpdateView) }

export const handler = endpoint(learning.listRoutingUpdates, shapes, ({ query, ctx }) => listUpdates(ctx, query))
