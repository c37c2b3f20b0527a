// The provider's objects in our words. Pure.
import type Stripe from 'stripe'
import { iso } from '../../base/lib/clock.ts'
import { type Plan, PLANS } from '../../base/limits/plans.ts'
import { type Invoice, INVOICE_STATUSES, isOver, type Subscription, SUBSCRIPTION_STATUSES } from './subscription.ts'
import type { Context } from '../../base/context.ts'
import { alarm } from '../../base/lib/log.ts'

const at = (seconds: number): string => iso(seconds * 1_000)

/** The look-up key of a price names its plan. */
export const lookupKeyOf = (plan: Plan): string => `${plan}_monthly`
const planOf = (lookup_key: string | null): Plan => PLANS.find((plan) => lookupKeyOf(plan) === lookup_key) ?? 'free'

export type SubscriptionFacts = Omit<
  Subscription,
  'tenant_id' | 'id' | 'previous_period_start' | 'grace_until' | 'task_id' | 'due_at'
>

/** Periods stand on the item since 2025; a subscription of ours has one. Undefined for an object that is none of ours. */
function subscriptionFacts(of: Stripe.Subscription): SubscriptionFacts | undefined {
  const [item] = of.items.data
  const status = SUBSCRIPTION_STATUSES.find((one) => one === of.status)
  if (!item || !status) return undefined
  const reason = of.cancellation_details?.reason
  return {
    provider_id: of.id,
    item_id: item.id,
    plan_id: planOf(item.price.lookup_key),
    status,
    quantity: item.quantity ?? 1,
    current_period_start: at(item.current_period_start),
    current_period_end: at(item.current_period_end),
    cancel_at_period_end: of.cancel_at_period_end,
    ...(of.canceled_at !== null && { canceled_at: at(of.canceled_at) }),
    ...(reason && { cancel_reason: reason }),
  }
}

/** Undefined for one without an id or a status: a preview. */
export function invoiceFacts(of: Stripe.Invoice): Omit<Invoice, 'tenant_id'> | undefined {
  const status = INVOICE_STATUSES.find((one) => one === of.status)
  if (!status || !of.id) return undefined
  const paid = of.status_transitions.paid_at
  return {
    id: of.id,
    number: of.number,
    status,
    amount_due_cents: of.amount_due,
    amount_paid_cents: of.amount_paid,
    currency: of.currency,
    period_start: at(of.period_start),
    period_end: at(of.period_end),
    hosted_url: of.hosted_invoice_url ?? null,
    pdf_url: of.invoice_pdf ?? null,
    paid_at: paid === null ? null : at(paid),
    created_at: at(of.created),
  }
}

/** Where an invoice says which subscription it is for. */
export const subscriptionOf = ({ parent }: Stripe.Invoice): string | undefined => {
  const of = parent?.subscription_details?.subscription
  return typeof of === 'string' ? of : of?.id
}

export const idOf = (of: string | { id: string } | null | undefined): string | undefined =>
  typeof of === 'string' ? of : of?.id

// What the provider says of a subscription, and what holds when it says nothing.

/** Undefined for one of another tenant, which an event or a row could name, too: what was sold here says whose it is. */
export function factsFor({ space }: Context, found: Stripe.Subscription | undefined): SubscriptionFacts | undefined {
  const isIts = found?.metadata['tenant_id'] === space.tenant_id && found.metadata['kind'] !== 'overage'
  return isIts ? subscriptionFacts(found) : undefined
}

/** Of a row that the provider has no subscription of this tenant for. Undefined when it is over already. */
export function endedFacts(ctx: Context, was: Subscription): SubscriptionFacts | undefined {
  if (isOver(was)) return undefined
  // Its due time, its grace and its task follow anew.
  const { due_at: _, grace_until: __, task_id: ___, ...rest } = was
  alarm('subscription_not_at_provider', undefined, { tenant: ctx.space.tenant_id, subscription: was.provider_id })
  return { ...rest, status: 'canceled', canceled_at: iso(ctx.now()), cancel_reason: 'not_at_provider' }
}
