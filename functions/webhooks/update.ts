import { endpoint } from '../../shared/http/endpoint.ts'
import { changeEndpoint } from '../../shared/webhooks/change-endpoint.ts'
import { EndpointChange } from '../../shared/webhooks/endpoint-fields.ts'
import { EndpointView, viewOf } from '../../shared/webhooks/endpoint.ts'
import { webhooks } from './routes.ts'

export const shapes = { body: EndpointChange, reply: EndpointView }

export const handler = endpoint(webhooks.update, shapes, async ({ params, body, ctx }) =>
  viewOf(await changeEndpoint(ctx, params.id, body)),
)
