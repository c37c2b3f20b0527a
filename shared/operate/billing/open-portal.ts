import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { customers } from './customer.ts'
import { mustBePage } from './start-checkout.ts'
import { asking } from './stripe.ts'

/** Where people change the way of payment, read invoices and cancel. Throws 409 before a first checkout. */
export async function openPortal(ctx: Context, return_url: string): Promise<string> {
  mustBePage('return_url', return_url)
  const known = await ctx.table.get(customers, { tenant_id: ctx.space.tenant_id })
  if (!known) throw conflict('There is nothing to manage yet. Start a checkout first.')
  const { customer_id: customer } = known
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
