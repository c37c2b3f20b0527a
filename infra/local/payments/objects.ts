// The objects of the payment provider. The members that are not given are those that nothing here reads.
import type Stripe from 'stripe'

type Make<T> = (parts: Partial<T>) => T

export const session: Make<Stripe.Checkout.Session> = (parts) =>
  Object.assign({} as Stripe.Checkout.Session, {
    object: 'checkout.session',
    mode: 'subscription',
    livemode: false,
    subscription: null,
    ...parts,
  })

export const portalSession: Make<Stripe.BillingPortal.Session> = (parts) =>
  Object.assign({} as Stripe.BillingPortal.Session, { object: 'billing_portal.session', livemode: false, ...parts })

export const customer: Make<Stripe.Customer> = (parts) =>
  Object.assign({} as Stripe.Customer, { object: 'customer', livemode: false, ...parts })

export const price: Make<Stripe.Price> = (parts) =>
  Object.assign({} as Stripe.Price, {
    object: 'price',
    active: true,
    livemode: false,
    type: 'recurring',
    lookup_key: null,
    metadata: {},
    ...parts,
  })

export const invoice: Make<Stripe.Invoice> = (parts) =>
  Object.assign({} as Stripe.Invoice, { object: 'invoice', livemode: false, ...parts })

export const subscription: Make<Stripe.Subscription> = (parts) =>
  Object.assign({} as Stripe.Subscription, {
    object: 'subscription',
    livemode: false,
    billing_mode: { type: 'flexible' },
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    pause_collection: null,
    trial_end: null,
    metadata: {},
    ...parts,
  })
