import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { CheckoutInput, startCheckout } from '../../shared/operate/billing/start-checkout.ts'
import { billing } from './routes.ts'

export const shapes = {
  body: CheckoutInput,
  response: z.object({ checkout_url: z.string(), session_id: z.string(), expires_at: z.string() }),
}

export const handler = endpoint(billing.checkout, shapes, ({ body, ctx }) => startCheckout(ctx, body))
