// Our copy of a subscription, an invoice and a checkout. The provider's objects are read by id and replace them; nothing that
// an event says is taken over.
import * as z from 'zod'
import { dueAt } from '../../base/table/due.ts'
import { bound } from '../../base/table/bound.ts'
import { key, spaceKey, type Stored } from '../../base/table/entity.ts'
import { higherPlan, type Plan, PLANS } from '../../base/limits/plans.ts'
import { billingPartition } from './customer.ts'
import type { Context } from '../../base/context.ts'

/** The provider's. */
export const SUBSCRIPTION_STATUSES = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

export const INTERVALS = ['day', 'week', 'month', 'year'] as const

/** There may be only one of these: a change of plan changes it. */
export const LIVE: readonly SubscriptionStatus[] = ['active', 'trialing', 'past_due', 'unpaid', 'paused']

/** A part of a key. */
const Id = z.string().regex(/^\w+$/)

export const Subscription = z.object({
  tenant_id: z.string(),
  /** Ours. */
  id: Id,
  provider_id: Id,
  /** The item of it that pays for the plan, which a change of plan names. */
  item_id: z.string(),
  plan_id: z.enum(PLANS),
  /** The price that was read as this plan: it stays so when it loses its look-up key. */
  price_id: z.string().optional(),
  status: z.enum(SUBSCRIPTION_STATUSES),
  quantity: z.int(),
  current_period_start: z.string(),
  current_period_end: z.string(),
  /** Hours of the period before may still be owed. */
  previous_period_start: z.string().optional(),
  cancel_at_period_end: z.boolean(),
  /** When it ends, where that is settled. */
  cancel_at: z.string().optional(),
  trial_end: z.string().optional(),
  interval: z.enum(INTERVALS).optional(),
  /** Invoices are not collected for now; the plan stays. */
  collection_paused: z.literal(true).optional(),
  /** What of the provider's object was not understood: there what was known before is kept. */
  unread: z.array(z.enum(['plan', 'status', 'period'])).optional(),
  /** Asks the operator to mend what was not understood. */
  unread_task_id: z.string().optional(),
  canceled_at: z.string().optional(),
  cancel_reason: z.string().optional(),
  /** The plan stays until then although a payment failed. */
  grace_until: z.string().optional(),
  /** Asks people to pay. */
  task_id: z.string().optional(),
  /** When it is read from the provider again: a lost event costs a day at most. */
  due_at: z.string().optional(),
})
export type Subscription = z.output<typeof Subscription>

/** Nothing follows at the provider any more. */
export const isOver = ({ status }: Pick<Subscription, 'status'>): boolean =>
  status === 'canceled' || status === 'incomplete_expired'

export const subscriptions = bound({
  name: 'SUB',
  schema: Subscription,
  key: (of: { tenant_id: string; provider_id: string }) => ({
    pk: billingPartition(of.tenant_id),
    sk: key('SUB', of.provider_id),
  }),
  index: (item) => dueAt(item.due_at, item.id),
})

export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'uncollectible', 'void'] as const

export const Invoice = z.object({
  tenant_id: z.string(),
  /** The provider's. */
  id: z.string().describe('The id, which never changes.'),
  number: z.string().nullable().describe('Number of the invoice.'),
  status: z.enum(INVOICE_STATUSES).describe('The current state.'),
  amount_due_cents: z.int().describe('What is to be paid, in cents.'),
  amount_paid_cents: z.int().describe('The amount paid, in hundredths of the currency.'),
  currency: z.string().describe('Currency (ISO 4217).'),
  period_start: z.string().describe('Beginning of the period.'),
  period_end: z.string().describe('End of the period.'),
  hosted_url: z.string().nullable().describe('The invoice as a page; null where there is none.'),
  pdf_url: z.string().nullable().describe('The invoice as a file; null where there is none.'),
  paid_at: z.string().nullable().describe('When it was paid.'),
  created_at: z.string().describe('When it was created.'),
})
export type Invoice = z.output<typeof Invoice>

export const invoicesPartition = (tenant_id: string): string => spaceKey({ tenant_id, mode: 'live' }, 'INVOICES')

export const invoices = bound({
  name: 'INVOICE',
  schema: Invoice,
  key: (of: { tenant_id: string; id: string; created_at: string }) => ({
    pk: invoicesPartition(of.tenant_id),
    sk: key(of.created_at, of.id),
  }),
})

export const Checkout = z.object({
  tenant_id: z.string(),
  /** Hash of the request: an equal request gets the same open session. */
  input_sha256: z.string(),
  session_id: z.string(),
  url: z.string(),
  expires_at: z.string(),
  /** How often the sweeper has asked how it stands. */
  looks: z.int(),
  due_at: z.string().optional(),
})
export type Checkout = z.output<typeof Checkout>

export const checkouts = bound({
  name: 'CHECKOUT',
  schema: Checkout,
  key: (of: { tenant_id: string; input_sha256: string }) => ({
    pk: billingPartition(of.tenant_id),
    sk: key('CHECKOUT', of.input_sha256),
  }),
  index: (item) => dueAt(item.due_at, item.session_id),
  ttl: (item) => Math.ceil(Date.parse(item.expires_at) / 1_000) + 86_400,
})

const SeenEvent = z.object({ id: z.string(), expires_at: z.int() })

/** An event that was carried out: it goes into that commit, so a crash repeats it and a replay does nothing. */
export const seenEvents = bound({
  name: 'STRIPEEVT',
  schema: SeenEvent,
  key: (of: { id: string }) => ({ pk: key('STRIPEEVT', of.id), sk: 'EVT' }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

type Counted = Pick<Subscription, 'plan_id' | 'status' | 'grace_until'>

/** What a subscription pays for at an instant (ms): nothing before its first payment, and after its grace. */
export function paidPlan({ plan_id, status, grace_until }: Counted, now: number): Plan {
  if (status === 'active' || status === 'trialing') return plan_id
  return status === 'past_due' && grace_until !== undefined && Date.parse(grace_until) > now ? plan_id : 'free'
}

/** The higher of the granted plan and the paid one. */
export const effectivePlan = (granted: Plan, all: readonly Counted[], now: number): Plan =>
  all.map((one) => paidPlan(one, now)).reduce(higherPlan, granted)

export const allSubscriptions = ({ table, space }: Context): Promise<Stored<Subscription>[]> =>
  table.query(subscriptions, { pk: billingPartition(space.tenant_id), prefix: 'SUB#' })
