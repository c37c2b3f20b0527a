import type { Context } from '../../base/context.ts'
import { billingPartition } from './customer.ts'
import { keepPlan } from './keep-plan.ts'
import { refreshCheckout } from './refresh-checkout.ts'
import { refreshSubscription } from './refresh-subscription.ts'
import { checkouts } from './subscription.ts'

/** What is to be read from the provider again: a subscription, a checkout, or all that it has of the customer. */
export async function takeDue(ctx: Context, sk: string): Promise<void> {
  const [kind = '', id = ''] = sk.split('#')
  if (kind === 'CUST') return keepPlan(ctx)
  if (kind === 'SUB') return refreshSubscription(ctx, id)
  const [found] = await ctx.table.query(checkouts, { pk: billingPartition(ctx.space.tenant_id), prefix: sk })
  if (found) await refreshCheckout(ctx, found.session_id)
}
