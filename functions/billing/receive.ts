import * as z from 'zod'
import { notFound } from '../../shared/base/lib/failure.ts'
import { providerSecrets } from '../../shared/base/providers/provider-secrets.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { enqueueEvent } from '../../shared/operate/billing/enqueue.ts'
import { billingEvent, verifiedEvent } from '../../shared/operate/billing/work.ts'
import { billing } from './routes.ts'

export const shapes = {
  response: z.object({ received: z.literal(true).describe('The message is taken and will be carried out.') }),
}

/** A message without a valid signature leaves nothing behind. Events of the provider's test mode are not those of its live mode. */
export const handler = endpoint(billing.receive, shapes, async ({ params, headers, ctx, bytes = Buffer.alloc(0) }) => {
  const { stripe } = await providerSecrets()
  if (params.id !== 'stripe' || !stripe) throw notFound('payment provider')
  const secrets = stripe.webhook_secrets
  const event = await verifiedEvent(bytes, headers['stripe-signature'], { secrets, now: ctx.now() })
  const known = event.livemode === stripe.secret_key.includes('_live_') ? billingEvent(event) : undefined
  if (known) await enqueueEvent(known)
  return { received: true as const }
})
