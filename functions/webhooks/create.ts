import * as z from 'zod'
import { textSeal } from '../../shared/evidence/seal.ts'
import { answer } from '../../shared/http/call.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { createEndpoint } from '../../shared/webhooks/create-endpoint.ts'
import { EndpointInput } from '../../shared/webhooks/endpoint-fields.ts'
import { EndpointView, viewOf } from '../../shared/webhooks/endpoint.ts'
import { webhooks } from './routes.ts'

export const shapes = {
  body: EndpointInput,
  reply: EndpointView.extend({ secret: z.string().optional() }),
}

/** Registers a receiver. */
export const handler = endpoint(
  webhooks.create,
  shapes,
  async ({ body, ctx }) => {
    const { endpoint: created, secret } = await createEndpoint(ctx, body)
    return answer(201, { ...viewOf(created), secret }, { Location: `/api/webhooks/${created.id}` })
  },
  { protect: textSeal('body') },
)
