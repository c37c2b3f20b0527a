// What the provider has of a tenant and the table does not: events that were lost, and rows that somebody took out or spoiled.
import type { Context } from '../../base/context.ts'
import { ownCustomer } from './customer.ts'
import { allSubscriptions } from './all-subscriptions.ts'
import { factsFor } from './facts-for.ts'
import { invoiceFacts } from './from-stripe.ts'
import { listInvoices } from './read-billing.ts'
import { isStored, refreshInvoice } from './refresh-invoice.ts'
import { refreshSubscription } from './refresh-subscription.ts'
import { asking, hasProvider } from './stripe.ts'
import { isOver } from './subscription.ts'

export async function readAccount(ctx: Context): Promise<void> {
  const customer = (await hasProvider()) ? await ownCustomer(ctx) : undefined
  if (customer === undefined) return
  await readMissed(ctx, customer)
  const { data } = await asking((client) => client.invoices.list({ customer, limit: 100 }))
  const known = await listInvoices(ctx)
  for (const one of data) {
    const facts = invoiceFacts(one)
    const was = known.find(({ id }) => id === facts?.id)
    if (facts && facts.status !== 'draft' && !isStored(facts, was)) await refreshInvoice(ctx, facts.id)
  }
}

/** Reads the subscriptions that live at the provider, but not here. Whether there were any. */
export async function readMissed(ctx: Context, customer: string): Promise<boolean> {
  const { data } = await asking((client) => client.subscriptions.list({ customer, limit: 100 }))
  const live = (await allSubscriptions(ctx)).filter((one) => !isOver(one)).map(({ provider_id }) => provider_id)
  const missed = data.filter((one) => !live.includes(one.id) && factsFor(ctx, one))
  for (const { id } of missed) await refreshSubscription(ctx, id)
  return missed.length > 0
}
