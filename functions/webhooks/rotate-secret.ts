import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { Endpoint } from '../../shared/deliver/webhooks/endpoints/endpoint.ts'
import { rotateSecret } from '../../shared/deliver/webhooks/endpoints/rotate-secret.ts'
import { WebhookSecret } from '../../shared/base/signing/signature.ts'
import { webhooks } from './routes.ts'

const DAY_SECONDS = 86_400

export const shapes = {
  body: z.strictObject({
    secret: optional(WebhookSecret).describe('The secret that signs deliveries. It is shown only once.'),
    overlap_seconds: optional(
      z
        .int()
        .min(0)
        .max(7 * DAY_SECONDS),
    ).describe('How many seconds the previous secret stays valid.'),
  }),
  response: z.object({
    secret: z.string().describe('The secret that signs deliveries. It is shown only once.'),
    secrets: Endpoint.shape.secrets,
  }),
}

export const handler = endpoint(
  webhooks.rotateSecret,
  shapes,
  ({ params, body: { secret, overlap_seconds = DAY_SECONDS }, ctx }) =>
    rotateSecret(ctx, { id: params.id, secret, overlap_seconds }),
  { protect: textSeal('body') },
)
