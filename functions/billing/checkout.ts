import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { CheckoutInput, startCheckout } from '../../shared/operate/billing/start-checkout.ts'
import { billing } from './routes.ts'

export const shapes = {
  body: CheckoutInput,
  response: z.object({
    checkout_url: z.string().describe('The page to open in a browser.'),
    session_id: z.string().describe('Id of the session.'),
    expires_at: z.string().describe('When it expires.'),
  }),
}

export const handler = endpoint(billing.checkout, shapes, ({ body, ctx }) => startCheckout(ctx, body))
