// The provider's objects in our words. Pure.
import type Stripe from 'stripe'
import { iso } from '../../base/lib/clock.ts'
import { type Invoice, INVOICE_STATUSES, isOver, type Subscription } from './subscription.ts'
import { LOOKUP_KEYS, planItemOf, productsOf, subscriptionFacts, type SubscriptionFacts } from './read-plan.ts'
import { mainSubscription } from './read-billing.ts'
import { asking } from './stripe.ts'
import type { Context } from '../../base/context.ts'
import { alarm } from '../../base/lib/log.ts'

const at = (seconds: number): string => iso(seconds * 1_000)

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

/** Where an invoice says which subscription it is for; before 2025 on the invoice itself. */
export const subscriptionOf = (invoice: Stripe.Invoice): string | undefined => {
  const older: { subscription?: unknown } = Object(invoice)
  const of = invoice.parent?.subscription_details?.subscription ?? older.subscription
  return typeof of === 'string' || isNamed(of) ? idOf(of) : undefined
}

const isNamed = (of: unknown): of is { id: string } =>
  typeof of === 'object' && of !== null && 'id' in of && typeof of.id === 'string'

export const idOf = (of: string | { id: string } | null | undefined): string | undefined =>
  typeof of === 'string' ? of : of?.id

// What the provider says of a subscription, and what holds when it says nothing.

/** False for one of another tenant, which an event or a row could name, too: what was sold here says whose it is. */
export const isTheirs = ({ space }: Context, found: Stripe.Subscription | undefined): found is Stripe.Subscription =>
  found?.metadata['tenant_id'] === space.tenant_id && found.metadata['kind'] !== 'overage'

type Stored = { all: readonly Subscription[]; was: Subscription | undefined }

/**
 * What a subscription is now. The provider is asked for more only where the object does not say it: for items beyond the first page, and
 * for the products that are sold here when no price names a plan. What cannot be read keeps what was known, and raises an alarm.
 */
export async function factsFor(
  { space }: Context,
  found: Stripe.Subscription,
  { all, was }: Stored,
): Promise<SubscriptionFacts> {
  const items = await itemsOf(found)
  const products = planItemOf(items, { was }) ? undefined : await soldProducts()
  const others = all.filter((one) => one.provider_id !== found.id)
  const facts = subscriptionFacts(found, { items, was, products, lastPlan: mainSubscription(others)?.plan_id })
  if (facts.unread)
    alarm('subscription_unread', 'what the provider has is not understood; what was known is kept', {
      tenant: space.tenant_id,
      subscription: found.id,
      members: facts.unread.join(' '),
      plan: facts.plan_id,
    })
  return facts
}

/** Without those that have no price in them: nothing can be read from these. */
async function itemsOf(found: Stripe.Subscription): Promise<Stripe.SubscriptionItem[]> {
  const { id: subscription, items: page }: Partial<Stripe.Subscription> & { id: string } = found
  const all = page?.has_more
    ? (await asking((client) => client.subscriptionItems.list({ subscription, limit: 100 }))).data
    : (page?.data ?? [])
  return all.filter(({ price }: Partial<Stripe.SubscriptionItem>) => price)
}

async function soldProducts() {
  const lookup_keys = [...LOOKUP_KEYS]
  return productsOf((await asking((client) => client.prices.list({ lookup_keys, limit: 100 }))).data)
}

/** Of a row that the provider has no subscription of this tenant for. Undefined when it is over already. */
export function endedFacts(ctx: Context, was: Subscription): SubscriptionFacts | undefined {
  if (isOver(was)) return undefined
  // Its due time, its grace and its task follow anew.
  const { due_at: _, grace_until: __, task_id: ___, unread_task_id: ____, unread: _____, ...rest } = was
  alarm('subscription_not_at_provider', undefined, { tenant: ctx.space.tenant_id, subscription: was.provider_id })
  return { ...rest, status: 'canceled', canceled_at: iso(ctx.now()), cancel_reason: 'not_at_provider' }
}
