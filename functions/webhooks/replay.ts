import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { id, optional } from '../../shared/base/wire/fields.ts'
import { replayDelivery } from '../../shared/deliver/webhooks/recover.ts'
import { webhooks } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    delivery_id: id.describe('Id of the delivery.'),
    endpoint_id: optional(id).describe('Id of the webhook endpoint.'),
  }),
  response: z.object({
    delivery_id: z.string().describe('Id of the delivery.'),
    replay_of: z.string().describe('The delivery that this one repeats.'),
    event_id: z.string().describe('Id of the event. Use it to ignore repeated deliveries.'),
    endpoint_id: z.string().describe('Id of the webhook endpoint.'),
    status: z.string().describe('The current state.'),
  }),
}

export const handler = endpoint(webhooks.replay, shapes, async ({ body, ctx }) => {
  const { id: delivery_id, event_id, endpoint_id, status } = await replayDelivery(ctx, body)
  return { delivery_id, replay_of: body.delivery_id, event_id, endpoint_id, status }
})
