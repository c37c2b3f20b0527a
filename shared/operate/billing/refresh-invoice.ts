import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import type { Context } from '../../base/context.ts'
import { Overtaken, retryWhenOvertaken, unlessOvertaken } from '../../base/kernel/retry.ts'
import { idOf, invoiceFacts, subscriptionOf } from './from-stripe.ts'
import { allSubscriptions } from './all-subscriptions.ts'
import { isItsCustomer } from './customer.ts'
import { refreshSubscription } from './refresh-subscription.ts'
import { noted } from './seen.ts'
import { asked } from './stripe.ts'
import { type Invoice, invoices } from './subscription.ts'

type Facts = Omit<Invoice, 'tenant_id'>

export const isStored = (facts: Facts, was: Invoice | undefined): boolean =>
  was !== undefined && Object.entries(facts).every(([name, value]) => was[name as keyof Facts] === value)

/** Replaces our copy of an invoice, and of the subscription that it is for: a payment changes both. */
export async function refreshInvoice(ctx: Context, id: string, event_id?: string): Promise<void> {
  const { tenant_id } = ctx.space
  const of = await retryWhenOvertaken(async () => {
    const found = await asked((client) => client.invoices.retrieve(id))
    const facts = found && invoiceFacts(found)
    const customer_id = idOf(found?.customer)
    if (!facts || customer_id === undefined || !(await isItsCustomer(ctx, customer_id))) return undefined
    const next: Invoice = { tenant_id, ...facts }
    const was = await ctx.table.get(invoices, next)
    const provider_id = subscriptionOf(found)
    if (isStored(facts, was)) return provider_id
    const ours = (await allSubscriptions(ctx)).find((one) => one.provider_id === provider_id)
    const isPaid = next.status === 'paid' && was?.status !== 'paid'
    const artifact = newArtifact(ctx, {
      type: isPaid ? 'billing.invoice.paid' : 'billing.invoice.updated',
      subject: { type: 'invoice', id },
      data: { status: next.status, amount_due_cents: next.amount_due_cents, currency: next.currency },
    })
    const paid = {
      type: 'invoice.paid' as const,
      subject: { id, version: (was?._v ?? 0) + 1 },
      data: {
        invoice_id: id,
        number: next.number ?? '',
        amount_paid_cents: next.amount_paid_cents,
        currency: next.currency,
        period_start: next.period_start,
        period_end: next.period_end,
        subscription_id: ours?.id ?? null,
      },
    }
    await ctx.table.commit([
      was ? invoices.replace(next, was, new Overtaken()) : invoices.insert(next, new Overtaken()),
      ...recorded(ctx, [{ artifact, ...(isPaid && { events: [paid] }) }]),
    ])
    return provider_id
  })
  if (of !== undefined) return refreshSubscription(ctx, of, event_id)
  if (event_id === undefined) return
  await unlessOvertaken(ctx.table.commit(noted(ctx, event_id)))
}
