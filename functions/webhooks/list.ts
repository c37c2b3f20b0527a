import { endpoint } from '../../shared/edge/endpoint.ts'
import { listView, ListQuery, paginate } from '../../shared/base/wire/pagination.ts'
import {
  endpoints,
  endpointsKey,
  EndpointView,
  endpointView,
} from '../../shared/deliver/webhooks/endpoints/endpoint.ts'
import { webhooks } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(EndpointView) }

/** Newest first. */
export const handler = endpoint(webhooks.list, shapes, async ({ query, ctx }) => {
  const source = { of: endpoints, groups: [{ name: 'all', partitions: [endpointsKey(ctx.space)] }] }
  const page = await paginate(ctx, webhooks.list.id, query, source)
  return { ...page, items: page.items.map(endpointView) }
})
