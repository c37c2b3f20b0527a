// Pages of the payment provider on which a person pays for a plan, or changes to it.
import { iso, MINUTE_MS } from '../../base/lib/clock.ts'
import type Stripe from 'stripe'
import type { Context } from '../../base/context.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Plan } from '../../base/limits/plans.ts'
import { type Interval, lookupKeyOf } from './read-plan.ts'
import { asked, asking } from './stripe.ts'
import type { Subscription } from './subscription.ts'

const PORTAL_MS = 3_600_000

export type Started = { checkout_url: string; session_id: string; expires_at: string }
export type Sale = { plan: Plan; price: string; customer: string; input: { success_url: string; cancel_url: string } }

/** Throws 409 when the operator has not made it. */
export async function priceOf(plan: Plan, interval: Interval): Promise<string> {
  const key = lookupKeyOf(plan, interval)
  const { data } = await asking((client) => client.prices.list({ lookup_keys: [key], active: true, limit: 1 }))
  const [price] = data
  if (price) return price.id
  throw conflict(`The payment provider has no price ${key}. Ask the operator of this service to add it.`, {
    code: 'billing_not_configured',
  })
}

/** As the provider has it. Undefined for one of another tenant, which a row could name, too. */
export async function ownSession({ space }: Context, session_id: string): Promise<Stripe.Checkout.Session | undefined> {
  const found = await asked((client) => client.checkout.sessions.retrieve(session_id))
  return found?.client_reference_id === space.tenant_id ? found : undefined
}

export const startedBy = ({ id, url, expires_at }: Stripe.Checkout.Session): Started => ({
  session_id: id,
  checkout_url: url ?? '',
  expires_at: iso(expires_at * 1_000),
})

/** For a first subscription. The key makes the provider answer a repeat within the minute with the same session. */
export async function newSession(
  ctx: Context,
  { price, customer, input }: Sale,
  of: readonly string[],
): Promise<Started> {
  const { tenant_id } = ctx.space
  const { success_url, cancel_url } = input
  const minute = iso(Math.floor(ctx.now() / MINUTE_MS) * MINUTE_MS)
  const session = await asking((client) =>
    client.checkout.sessions.create(
      {
        mode: 'subscription',
        customer,
        line_items: [{ price, quantity: 1 }],
        client_reference_id: tenant_id,
        subscription_data: { metadata: { tenant_id } },
        success_url,
        cancel_url,
      },
      { idempotencyKey: `checkout:${sha256Hex(canonicalJson([...of, minute])).slice(0, 32)}` },
    ),
  )
  return startedBy(session)
}

/** For the one there is, with its quantity: a second checkout would make a second subscription. */
export async function changePage(
  ctx: Context,
  { price, input, customer }: Sale,
  { provider_id: subscription, item_id: id, quantity }: Subscription,
): Promise<Started> {
  const params: Stripe.BillingPortal.SessionCreateParams = {
    customer,
    return_url: input.cancel_url,
    flow_data: {
      type: 'subscription_update_confirm',
      subscription_update_confirm: { subscription, items: [{ id, price, quantity }] },
      after_completion: { type: 'redirect', redirect: { return_url: input.success_url } },
    },
  }
  const session = await asking((client) => client.billingPortal.sessions.create(params))
  return { checkout_url: session.url, session_id: session.id, expires_at: iso(ctx.now() + PORTAL_MS) }
}
