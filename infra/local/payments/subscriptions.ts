// What happens to subscriptions at the payment provider: they begin, change, are billed, and end.
import type Stripe from 'stripe'
import type { Events } from './events.ts'
import { invoice, price, subscription } from './objects.ts'
import { type Books, priceOf } from './state.ts'

const MONTH_SECONDS = 30 * 86_400

export type Subscriptions = {
  /** A person has paid on the page of this session. */
  begin: (session: Stripe.Checkout.Session) => void
  change: (of: Stripe.Subscription, parts: Partial<Stripe.Subscription>) => void
  bill: (of: Stripe.Subscription, paid: boolean) => void
  find: (id: string) => Stripe.Subscription
}

export function createSubscriptions({ state, now, id }: Books, { note }: Events): Subscriptions {
  const bill = (of: Stripe.Subscription, paid: boolean): void => {
    const number = `LOCAL-${String(Object.keys(state.invoices).length + 1).padStart(4, '0')}`
    const made = invoice({ id: id('in'), number, ...billed(of, paid, now()) })
    state.invoices[made.id] = made
    note('invoice.finalized', made)
    note(paid ? 'invoice.paid' : 'invoice.payment_failed', made)
  }
  return {
    bill,
    begin: (session) => {
      const start = now()
      const item = { id: id('si'), price: priceOf(state.sold[session.id]) ?? price({}), quantity: 1 }
      const made = subscription({
        id: id('sub'),
        customer: session.customer as string,
        status: 'active',
        created: start,
        metadata: { tenant_id: session.client_reference_id ?? '' },
        items: itemsOf({ ...item, current_period_start: start, current_period_end: start + MONTH_SECONDS }),
      })
      state.subscriptions[made.id] = made
      Object.assign(session, { status: 'complete', payment_status: 'paid', subscription: made.id })
      note('customer.subscription.created', made)
      note('checkout.session.completed', session)
      bill(made, true)
    },
    change: (of, parts) => {
      Object.assign(of, parts)
      note(of.status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated', of)
    },
    find: (subscriptionId) => {
      const of = state.subscriptions[subscriptionId]
      if (!of) throw new Error(`no subscription ${subscriptionId}`)
      return of
    },
  }
}

const itemsOf = (item: Partial<Stripe.SubscriptionItem>): Stripe.Subscription['items'] => ({
  object: 'list',
  has_more: false,
  url: '',
  data: [{ object: 'subscription_item', ...item } as Stripe.SubscriptionItem],
})

function billed(of: Stripe.Subscription, paid: boolean, now: number): Partial<Stripe.Invoice> {
  const [item] = of.items.data
  const amount = item?.price.unit_amount ?? 0
  return {
    status: paid ? 'paid' : 'open',
    amount_due: amount,
    amount_paid: paid ? amount : 0,
    currency: 'eur',
    customer: of.customer,
    created: now,
    period_start: item?.current_period_start ?? now,
    period_end: item?.current_period_end ?? now,
    hosted_invoice_url: null,
    invoice_pdf: null,
    status_transitions: {
      finalized_at: now,
      marked_uncollectible_at: null,
      paid_at: paid ? now : null,
      voided_at: null,
    },
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { metadata: null, subscription: of.id },
    },
  }
}
