import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { mustBeReturnAddress } from '../../identity/domains/return-address.ts'
import { payingCustomer } from './customer.ts'
import { asking } from './stripe.ts'

/** Where people change the way of payment, read invoices and cancel. Throws 409 before a first checkout. */
export async function openPortal(ctx: Context, return_url: string): Promise<string> {
  await mustBeReturnAddress(ctx, 'return_url', return_url)
  const customer = await payingCustomer(ctx)
  const session = await asking((client) => client.billingPortal.sessions.create({ customer, return_url }))
  const traces = changed(ctx, [
    {
      action: 'billing.portal_opened',
      artifact: 'billing.portal.opened',
      subject: { type: 'portal_session', id: session.id },
    },
  ])
  await ctx.table.commit(traces, session.id)
  return session.url
}
