import { type Context, openTable, systemContext } from '../../base/context.ts'
import { billingPartition, tenantOfCustomer } from './customer.ts'
import { readAccount, refreshCheckout, refreshInvoice } from './refresh-invoice.ts'
import { refreshSubscription } from './refresh-subscription.ts'
import {
  allSubscriptions,
  checkouts,
  effectivePlan,
  isOver,
  seenEvents,
  type Subscription,
  subscriptions,
} from './subscription.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { alarm, warn } from '../../base/lib/log.ts'
import { ChangedMeanwhile, retryWhenChanged, unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { forgetTenant, freshTenant } from '../../base/tenant/find.ts'
import { planWrites } from './plan-writes.ts'
import { iso } from '../../base/lib/clock.ts'
import type Stripe from 'stripe'
import { idPattern } from '../../base/lib/ids.ts'
import { tenants } from '../../base/tenant/tenant.ts'
import { idOf } from './from-stripe.ts'
import type { BillingEvent } from './message.ts'
import { malformed } from '../../base/lib/failure.ts'

/** What is to be read from the provider again: a subscription, a checkout, or all that it has of the customer. */
export async function takeDue(ctx: Context, sk: string): Promise<void> {
  const [kind = '', id = ''] = sk.split('#')
  if (kind === 'CUST') return keepPlan(ctx)
  if (kind === 'SUB') return refreshSubscription(ctx, id)
  const [found] = await ctx.table.query(checkouts, { pk: billingPartition(ctx.space.tenant_id), prefix: sk })
  if (found) await refreshCheckout(ctx, found.session_id)
}

// Once a day the plan of a tenant is compared with its grounds: the grant, as far as the chain proves it, and what is
// paid for at the provider. So no plan or grant that somebody wrote into the table lasts, and no subscription that they took out is lost.

/** The end of a grace is carried out within it: no reason for an alarm. */
const SETTLED_MS = 7_200_000

/** The provider is asked first: a lower plan takes something away. */
export async function keepPlan(ctx: Context): Promise<void> {
  const { tenant_id } = ctx.space
  await readAccount(ctx)
  await readUnattended(ctx)
  await retryWhenChanged(async () => {
    const was = await freshTenant(ctx.table, tenant_id)
    const all = await allSubscriptions(ctx)
    const { granted, agrees, writes, change } = await planWrites(ctx, all)
    if (!change) return
    // A subscription and the plan that follows from it change together.
    if ((await freshTenant(ctx.table, tenant_id))._v !== was._v) throw new ChangedMeanwhile()
    if (effectivePlan(granted, all, ctx.now() - SETTLED_MS) !== was.plan)
      alarm('plan_differs', undefined, { tenant: tenant_id, plan: was.plan })
    if (!agrees) alarm('quotas_differ', 'the table states what the chain does not', { tenant: tenant_id })
    await ctx.table.commit([...writes, ...changed(ctx, [change])])
  })
  forgetTenant(tenant_id)
}

/** A day until the next reading, at most. What is due is tried hourly. */
const AHEAD_MS = 86_400_000
const LATE_MS = 7_200_000

/** Makes due what the sweeper would not find in time: the service gives each subscription that is not over a due time within a day. */
async function readUnattended(ctx: Context): Promise<void> {
  const now = ctx.now()
  const left = (await allSubscriptions(ctx)).filter((one) => !isOver(one) && !isAttended(one, now))
  for (const one of left) {
    // Unless it was just read.
    await unlessChangedMeanwhile(ctx.table.commit([subscriptions.replace({ ...one, due_at: iso(now) }, one)]))
  }
}

function isAttended({ due_at }: Subscription, now: number): boolean {
  const due = Date.parse(due_at ?? '')
  return due > now - LATE_MS && due <= now + AHEAD_MS
}

// Carries out a message of the payment provider. Only its ids are used: what they name is read from the provider.

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

// Whether the payment provider has sent this, over the raw bytes.

const TOLERANCE_SECONDS = 300
const TIME = /(?:^|,)t=(\d{1,12})(?:,|$)/

/** Throws 400 for a signature that is wrong, older than five minutes, or of a time to come. Any of the secrets verifies. */
export async function verifiedEvent(
  body: Buffer,
  signature: string | undefined,
  { secrets, now }: { secrets: readonly string[]; now: number },
): Promise<Stripe.Event> {
  const { default: Client } = await import('stripe')
  const seconds = Math.floor(now / 1_000)
  const sent = Number(TIME.exec(signature ?? '')?.[1] ?? Number.NaN)
  // The library lets times to come pass.
  if (signature !== undefined && sent - seconds <= TOLERANCE_SECONDS)
    for (const secret of secrets) {
      try {
        return Client.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS, undefined, now)
      } catch {
        // the next secret may fit
      }
    }
  throw malformed('The signature does not fit this body, or is too old.', { code: 'invalid_signature' })
}
