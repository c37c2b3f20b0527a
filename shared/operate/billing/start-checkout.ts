// Sends people to the payment page: for a first subscription a checkout, for a change of plan the portal. A second checkout would
// make a second subscription.
import * as z from 'zod'
import type Stripe from 'stripe'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/env.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import { isHigher } from '../../base/limits/plans.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { type Plan, PLANS } from '../../base/tenant/tenant.ts'
import { customerOf } from './customer.ts'
import { lookupKeyOf } from './from-stripe.ts'
import { allSubscriptions, mainSubscription } from './read-billing.ts'
import { asking } from './stripe.ts'
import { checkouts, LIVE, type Subscription } from './subscription.ts'

export const CheckoutInput = z.strictObject({
  plan_id: z.string().max(64),
  success_url: z.string().max(2_048),
  cancel_url: z.string().max(2_048),
})
export type CheckoutInput = z.output<typeof CheckoutInput>

export type Started = { checkout_url: string; session_id: string; expires_at: string }

const MINUTE_MS = 60_000
/** A lost event of the provider costs no longer than this. */
const FIRST_LOOK_MS = 120_000
const PORTAL_MS = 3_600_000

/** Throws 422 for a plan that is not sold here and for addresses that are not https, 409 for a plan that is in effect. */
export async function startCheckout(ctx: Context, input: CheckoutInput): Promise<Started> {
  const plan = soldPlan(input.plan_id)
  mustBePage('success_url', input.success_url)
  mustBePage('cancel_url', input.cancel_url)
  const [tenant, all] = await Promise.all([freshTenant(ctx.table, ctx.space.tenant_id), allSubscriptions(ctx)])
  if (!isHigher(plan, tenant.plan_granted))
    throw conflict(`You have the plan ${tenant.plan_granted} without paying for it.`)
  const main = mainSubscription(all)
  const live = main && LIVE.includes(main.status) ? main : undefined
  if (live?.plan_id === plan && !live.cancel_at_period_end) throw conflict(`You have the plan ${plan} already.`)
  const customer = await customerOf(ctx)
  const price = await priceOf(plan)
  return live
    ? changePlan(ctx, { live, price, plan, input, customer })
    : checkOut(ctx, { plan, price, customer, input })
}

function soldPlan(asked: string): Exclude<Plan, 'free' | 'enterprise'> {
  const plan = PLANS.find((one) => one === asked)
  if (plan === 'enterprise') throw invalid(['plan_id'], 'is agreed in person: contact the operator of this service')
  if (plan === undefined || plan === 'free') throw invalid(['plan_id'], 'must be team or business')
  return plan
}

/** Throws 422. On a developer's machine loopback addresses may be http. */
export function mustBePage(member: string, text: string): void {
  const url = URL.parse(text)
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  const isFine =
    url &&
    !url.username &&
    !url.password &&
    (url.protocol === 'https:' || (isLocal && env('BASE_URL').startsWith('http:')))
  if (!isFine) throw invalid([member], 'must be an https URL')
}

async function priceOf(plan: Plan): Promise<string> {
  const key = lookupKeyOf(plan)
  const { data } = await asking((client) => client.prices.list({ lookup_keys: [key], active: true, limit: 1 }))
  const [price] = data
  if (price) return price.id
  throw conflict(`The payment provider has no price ${key}. Ask the operator of this service to add it.`, {
    code: 'billing_not_configured',
  })
}

type Sale = { plan: Plan; price: string; customer: string; input: CheckoutInput }

async function checkOut(ctx: Context, { plan, price, customer, input }: Sale): Promise<Started> {
  const { tenant_id } = ctx.space
  const { success_url, cancel_url } = input
  const now = ctx.now()
  const of = { tenant_id, input_sha256: sha256Hex(canonicalJson([tenant_id, plan, success_url, cancel_url])) }
  const was = await ctx.table.get(checkouts, of)
  if (was && Date.parse(was.expires_at) > now && was.due_at !== undefined)
    return answered(ctx, { checkout_url: was.url, session_id: was.session_id, expires_at: was.expires_at }, plan)
  const minute = iso(Math.floor(now / MINUTE_MS) * MINUTE_MS)
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
      { idempotencyKey: `checkout:${sha256Hex(canonicalJson([of.input_sha256, minute])).slice(0, 32)}` },
    ),
  )
  const expires_at = iso(session.expires_at * 1_000)
  const next = {
    ...of,
    session_id: session.id,
    url: session.url ?? '',
    expires_at,
    looks: 0,
    due_at: iso(now + FIRST_LOOK_MS),
  }
  const lost = conflict('Another request has started this checkout. Try again.')
  await ctx.table.commit(
    [was ? checkouts.replace(next, was, lost) : checkouts.insert(next, lost), ...startedTraces(ctx, session.id, plan)],
    session.id,
  )
  return { checkout_url: next.url, session_id: session.id, expires_at }
}

/** The same open session: what is asked for again is recorded again. */
async function answered(ctx: Context, started: Started, plan: Plan): Promise<Started> {
  await ctx.table.commit(startedTraces(ctx, started.session_id, plan), started.session_id)
  return started
}

async function changePlan(
  ctx: Context,
  { live, price, plan, input, customer }: Sale & { live: Subscription },
): Promise<Started> {
  const params: Stripe.BillingPortal.SessionCreateParams = {
    customer,
    return_url: input.cancel_url,
    flow_data: {
      type: 'subscription_update_confirm',
      subscription_update_confirm: {
        subscription: live.provider_id,
        items: [{ id: live.item_id, price, quantity: 1 }],
      },
      after_completion: { type: 'redirect', redirect: { return_url: input.success_url } },
    },
  }
  const session = await asking((client) => client.billingPortal.sessions.create(params))
  await ctx.table.commit(startedTraces(ctx, session.id, plan), session.id)
  return { checkout_url: session.url, session_id: session.id, expires_at: iso(ctx.now() + PORTAL_MS) }
}

const startedTraces = (ctx: Context, session_id: string, plan: Plan) =>
  changed(ctx, [
    {
      action: 'billing.checkout_started',
      artifact: 'billing.checkout.started',
      subject: { type: 'checkout', id: session_id },
      data: { plan_id: plan },
    },
  ])
