import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { EndpointView, endpointView, findEndpoint } from '../../shared/deliver/webhooks/endpoints/endpoint.ts'
import { lastDeliveryAt } from '../../shared/deliver/webhooks/delivery-log.ts'
import { webhooks } from './routes.ts'

export const shapes = { response: EndpointView, versioned: true }

export const handler = endpoint(webhooks.get, shapes, async ({ params, ctx }) => {
  const [found, last_delivery_at] = await Promise.all([findEndpoint(ctx, params.id), lastDeliveryAt(ctx, params.id)])
  return tagged({ ...endpointView(found), last_delivery_at }, found._v)
})
