import { endpoint } from '../../shared/http/endpoint.ts'
import { tagged } from '../../shared/http/etag.ts'
import { changeEndpoint } from '../../shared/webhooks/change-endpoint.ts'
import { EndpointChange } from '../../shared/webhooks/endpoint-fields.ts'
import { EndpointView, viewOf } from '../../shared/webhooks/endpoint.ts'
import { webhooks } from './routes.ts'

export const shapes = { body: EndpointChange, reply: EndpointView, versioned: true }

export const handler = endpoint(webhooks.update, shapes, async ({ params, body, version, ctx }) => {
  const changed = await changeEndpoint(ctx, params.id, { ...body, version })
  return tagged(viewOf(changed), changed._v)
})
