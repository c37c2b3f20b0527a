import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { changeEndpoint } from '../../shared/deliver/webhooks/endpoints/create.ts'
import { EndpointChange } from '../../shared/deliver/webhooks/endpoints/fields.ts'
import { EndpointView, endpointView } from '../../shared/deliver/webhooks/endpoints/endpoint.ts'
import { webhooks } from './routes.ts'

export const shapes = { body: EndpointChange, response: EndpointView, versioned: true }

export const handler = endpoint(webhooks.update, shapes, async ({ params, body, version, ctx }) => {
  const changed = await changeEndpoint(ctx, params.id, { ...body, version })
  return tagged(endpointView(changed), changed._v)
})
