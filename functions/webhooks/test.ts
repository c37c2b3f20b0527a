import * as z from 'zod'
import { EVENT_TYPES } from '../../shared/base/catalog/event-types.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { testEndpoint } from '../../shared/deliver/webhooks/test-endpoint.ts'
import { webhooks } from './routes.ts'

export const shapes = {
  body: z.strictObject({ type: optional(z.enum(EVENT_TYPES)) }),
  response: z.object({
    delivered: z.boolean(),
    status_code: z.int().optional(),
    error_class: z.string().optional(),
    latency_ms: z.int(),
    delivery_id: z.string(),
  }),
}

/** The outcome is the answer: a receiver that fails is no failure of this request. */
export const handler = endpoint(webhooks.test, shapes, ({ params, body, ctx }) =>
  testEndpoint(ctx, { id: params.id, type: body.type ?? 'action.approved' }),
)
