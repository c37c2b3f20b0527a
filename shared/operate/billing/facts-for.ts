// What the provider says of a subscription, and what holds when it says nothing.
import type Stripe from 'stripe'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { alarm } from '../../base/lib/log.ts'
import { type SubscriptionFacts, subscriptionFacts } from './from-stripe.ts'
import { isOver, type Subscription } from './subscription.ts'

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
