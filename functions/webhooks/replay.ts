import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { id, optional } from '../../shared/base/wire/fields.ts'
import { replayDelivery } from '../../shared/deliver/webhooks/replay.ts'
import { webhooks } from './routes.ts'

export const shapes = {
  body: z.strictObject({ delivery_id: id, endpoint_id: optional(id) }),
  response: z.object({
    delivery_id: z.string(),
    replay_of: z.string(),
    event_id: z.string(),
    endpoint_id: z.string(),
    status: z.string(),
  }),
}

export const handler = endpoint(webhooks.replay, shapes, async ({ body, ctx }) => {
  const { id: delivery_id, event_id, endpoint_id, status } = await replayDelivery(ctx, body)
  return { delivery_id, replay_of: body.delivery_id, event_id, endpoint_id, status }
})
