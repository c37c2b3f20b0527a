import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { answer } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { createEndpoint } from '../../shared/deliver/webhooks/create-endpoint.ts'
import { EndpointInput } from '../../shared/deliver/webhooks/endpoint-fields.ts'
import { EndpointView, viewOf } from '../../shared/deliver/webhooks/endpoint.ts'
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
