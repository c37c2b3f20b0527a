import type { Context } from '../../base/context.ts'
import { billingPartition } from './customer.ts'
import { refreshCheckout } from './refresh-checkout.ts'
import { refreshSubscription } from './refresh-subscription.ts'
import { checkouts } from './subscription.ts'

/** A subscription or checkout that is to be read from the provider again. */
export async function takeDue(ctx: Context, sk: string): Promise<void> {
  const [kind = '', id = ''] = sk.split('#')
  if (kind === 'SUB') return refreshSubscription(ctx, id)
  const [found] = await ctx.table.query(checkouts, { pk: billingPartition(ctx.space.tenant_id), prefix: sk })
  if (found) await refreshCheckout(ctx, found.session_id)
}
