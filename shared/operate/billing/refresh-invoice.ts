import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import type { Context } from '../../base/context.ts'
import { ChangedMeanwhile, retryWhenChanged, unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { idOf, invoiceFacts, isTheirs, subscriptionOf } from './from-stripe.ts'
import { allSubscriptions, checkouts, type Invoice, invoices, isOver } from './subscription.ts'
import { isItsCustomer, ownCustomer } from './customer.ts'
import { noted, refreshSubscription } from './refresh-subscription.ts'
import { asked, asking, hasProvider } from './stripe.ts'
import { iso } from '../../base/lib/clock.ts'
import { ownSession } from './payment-page.ts'
import { allCheckouts, listInvoices } from './read-billing.ts'

type Facts = Omit<Invoice, 'tenant_id'>

const isStored = (facts: Facts, was: Invoice | undefined): boolean =>
  was !== undefined && Object.entries(facts).every(([name, value]) => was[name as keyof Facts] === value)

/** Replaces our copy of an invoice, and of the subscription that it is for: a payment changes both. */
export async function refreshInvoice(ctx: Context, id: string, event_id?: string): Promise<void> {
  const { tenant_id } = ctx.space
  const of = await retryWhenChanged(async () => {
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
      was ? invoices.replace(next, was, new ChangedMeanwhile()) : invoices.insert(next, new ChangedMeanwhile()),
      ...commitWith(ctx, [{ artifact, ...(isPaid && { events: [paid] }) }]),
    ])
    return provider_id
  })
  if (of !== undefined) return refreshSubscription(ctx, of, event_id)
  if (event_id === undefined) return
  await unlessChangedMeanwhile(ctx.table.commit(noted(ctx, event_id)))
}

/** After these times a session is looked at, for the case that its event was lost. */
const LOOKS_MS = [120_000, 600_000, 3_600_000]

/** What a session brought, if it was completed. An event of it is noted with the subscription. */
export async function refreshCheckout(ctx: Context, session_id: string, event_id?: string): Promise<void> {
  const session = await ownSession(ctx, session_id)
  const of = idOf(session?.subscription)
  if (of !== undefined) await refreshSubscription(ctx, of, event_id)
  const was = (await allCheckouts(ctx)).find((one) => one.session_id === session_id)
  if (!was) return
  const { due_at: _, ...rest } = was
  const isOpen = session?.status === 'open'
  const next = isOpen ? { ...rest, looks: was.looks + 1, due_at: nextLook(ctx, was.looks + 1, was.expires_at) } : rest
  await unlessChangedMeanwhile(ctx.table.commit([checkouts.replace(next, was)]))
}

const nextLook = (ctx: Context, looks: number, expires_at: string): string => {
  const wait = LOOKS_MS[looks]
  return wait === undefined ? iso(Math.max(Date.parse(expires_at), ctx.now() + 60_000)) : iso(ctx.now() + wait)
}

// What the provider has of a tenant and the table does not: events that were lost, and rows that somebody took out or spoiled.

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
  const missed = data.filter((one) => !live.includes(one.id) && isTheirs(ctx, one))
  for (const { id } of missed) await refreshSubscription(ctx, id)
  return missed.length > 0
}
