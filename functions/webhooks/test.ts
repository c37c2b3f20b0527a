import * as z from 'zod'
import { EVENT_TYPES } from '../../shared/base/catalog/event-types.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { testEndpoint } from '../../shared/deliver/webhooks/endpoints/test.ts'
import { webhooks } from './routes.ts'

export const shapes = {
  body: z.strictObject({ type: optional(z.enum(EVENT_TYPES)).describe('The type of event to send.') }),
  response: z.object({
    delivered: z.boolean().describe('Whether the receiver answered 2xx.'),
    status_code: z.int().optional().describe('The HTTP status of the response.'),
    error_class: z.string().optional().describe('The kind of failure.'),
    latency_ms: z.int().describe('How long it took, in ms.'),
    delivery_id: z.string().describe('Id of the delivery.'),
  }),
}

/** The outcome is the answer: a receiver that fails is no failure of this request. */
export const handler = endpoint(webhooks.test, shapes, ({ params, body, ctx }) =>
  testEndpoint(ctx, { id: params.id, type: body.type ?? 'action.approved' }),
)
