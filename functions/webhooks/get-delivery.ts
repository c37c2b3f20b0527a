import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { readDelivery } from '../../shared/deliver/webhooks/delivery-log.ts'
import { AttemptView, DeliveryView } from '../../shared/deliver/webhooks/delivery.ts'
import { webhooks } from './routes.ts'

export const shapes = {
  response: DeliveryView.extend({
    body: z.unknown().describe('The exact bytes of the event that were sent.'),
    attempts: z.array(AttemptView).describe('All calls, oldest first.'),
  }),
}

/** `body` is what was sent, but for the signature that each attempt makes anew; null once it is no longer retained. */
export const handler = endpoint(webhooks.getDelivery, shapes, ({ params, ctx }) => readDelivery(ctx, params.id))
