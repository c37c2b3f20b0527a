import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { createEndpoint } from '../../shared/deliver/webhooks/endpoints/create.ts'
import { EndpointInput } from '../../shared/deliver/webhooks/endpoints/fields.ts'
import { EndpointView, endpointView } from '../../shared/deliver/webhooks/endpoints/endpoint.ts'
import { webhooks } from './routes.ts'

export const shapes = {
  body: EndpointInput,
  response: EndpointView.extend({
    secret: z.string().optional().describe('The secret that signs deliveries. It is shown only once.'),
  }),
}

/** Registers a receiver. */
export const handler = endpoint(
  webhooks.create,
  shapes,
  async ({ body, ctx }) => {
    const { endpoint: created, secret } = await createEndpoint(ctx, body)
    return httpResponse(201, { ...endpointView(created), secret }, { Location: `/api/webhooks/${created.id}` })
  },
  { protect: textSeal('body') },
)
