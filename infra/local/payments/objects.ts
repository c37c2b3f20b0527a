// The objects of the payment provider, with the members that this service reads.
import type Stripe from 'stripe'

type Make<T> = (parts: Partial<T>) => T

/** The members that are not given are those of a real object that nothing here reads. */
const whole = <T>(parts: object): T => parts as T

export const session: Make<Stripe.Checkout.Session> = (parts) =>
  whole({ object: 'checkout.session', mode: 'subscription', livemode: false, subscription: null, ...parts })

export const portalSession: Make<Stripe.BillingPortal.Session> = (parts) =>
  whole({ object: 'billing_portal.session', livemode: false, ...parts })

export const customer: Make<Stripe.Customer> = (parts) => whole({ object: 'customer', livemode: false, ...parts })

export const price: Make<Stripe.Price> = (parts) =>
  whole({ object: 'price', active: true, livemode: false, type: 'recurring', ...parts })

export const invoice: Make<Stripe.Invoice> = (parts) => whole({ object: 'invoice', livemode: false, ...parts })

export const subscription: Make<Stripe.Subscription> = (parts) =>
  whole({
    object: 'subscription',
    livemode: false,
    cancel_at_period_end: false,
    canceled_at: null,
    metadata: {},
    ...parts,
  })
