// Carries out a message of the payment provider. Only its ids are used: what they name is read from the provider.
import type Stripe from 'stripe'
import { openTable, systemContext } from '../../base/context.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { warn } from '../../base/lib/log.ts'
import { tenants } from '../../base/tenant/tenant.ts'
import { tenantOfCustomer } from './customer.ts'
import { idOf } from './from-stripe.ts'
import type { BillingEvent } from './message.ts'
import { refreshCheckout } from './refresh-checkout.ts'
import { refreshInvoice } from './refresh-invoice.ts'
import { refreshSubscription } from './refresh-subscription.ts'
import { seenEvents } from './subscription.ts'

const HANDLED =
  /^(?:checkout\.session\.(?:completed|expired)|customer\.subscription\.\w+|invoice\.(?:finalized|paid|payment_failed|voided|marked_uncollectible))$/

/** A customer could be of another deployment, or made by hand. */
const TENANT_ID = idPattern('ten')

/** Undefined for what is not handled here. */
export function billingEvent({ id, type, data }: Stripe.Event): BillingEvent | undefined {
  const object: { id?: string; customer?: string | { id: string } | null } = data.object as object
  const customer_id = idOf(object.customer)
  if (!HANDLED.test(type) || customer_id === undefined || object.id === undefined) return undefined
  return { event_id: id, customer_id, object_id: object.id, type }
}

/** An event that was carried out does nothing. */
export async function takeEvent({ event_id, customer_id, object_id, type }: BillingEvent): Promise<void> {
  const table = openTable()
  if (await table.get(seenEvents, { id: event_id })) return
  const tenant_id = (await tenantOfCustomer(customer_id)) ?? ''
  const isKnown = TENANT_ID.test(tenant_id) && (await table.get(tenants, { id: tenant_id }))
  if (!isKnown) return warn('billing_customer_unknown', undefined, { event: event_id })
  const ctx = systemContext({ tenant_id, mode: 'live' })
  if (type.startsWith('invoice.')) return refreshInvoice(ctx, object_id, event_id)
  if (type.startsWith('checkout.')) return refreshCheckout(ctx, object_id, event_id)
  return refreshSubscription(ctx, object_id, event_id)
}
