// What people read of billing.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { type Feature, FEATURES, isHigher, PLAN_FACTS, UNLIMITED, PLANS } from '../../base/limits/plans.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { daysInEffect, inGrace, retentionDays, retentions } from '../../base/tenant/retention.ts'
import {
  allSubscriptions,
  checkouts,
  INTERVALS,
  Invoice,
  invoices,
  invoicesPartition,
  LIVE,
  type Subscription,
  SUBSCRIPTION_STATUSES,
} from './subscription.ts'
import { billingPartition } from './customer.ts'

const limit = z.int().nullable()

export const PlanView = z.object({
  id: z.enum(PLANS).describe('The id, which never changes.'),
  name: z.string().describe('A name for people.'),
  price: z
    .object({
      amount_cents: z.int().describe('The price in cents.'),
      currency: z.string().describe('Currency (ISO 4217).'),
      interval: z.literal('month').describe('How often it is paid.'),
    })
    .nullable()
    .describe('Without tax; null: by agreement.'),
  quotas: z
    .object({
      requests_per_minute: limit.describe('Requests a minute.'),
      requests_per_day: limit.describe('Requests a day.'),
      executions: limit.describe('Actions that succeed, a month.'),
      tokens: limit.describe('Tokens a month.'),
      storage_bytes: limit.describe('Bytes of payloads, answers, copied records and files.'),
      users: limit.describe('People, with those who are invited.'),
      webhook_endpoints: limit.describe('Endpoints of webhooks in each mode.'),
      connections: limit.describe('Connections to tools in each mode.'),
      frameworks: limit.describe('Compliance frameworks that can be enabled.'),
      evidence_retention_days: limit.describe('So long payloads of evidence are kept; headers and the chain stay.'),
    })
    .describe('What the plan includes; null: no limit, or by agreement.'),
  features: z.array(z.enum(Object.keys(FEATURES) as [Feature, ...Feature[]])).describe('What the plan has besides.'),
  is_current: z.boolean().describe('Whether it is in effect.'),
})

/** Null: no limit, or by agreement. */
const shown = (figure: number | null): number | null => (figure === UNLIMITED ? null : figure)

export async function listPlans({ table, space }: Context) {
  const { plan } = await freshTenant(table, space.tenant_id)
  return PLANS.map((id) => {
    const { name, price, perMinute, perDay, quotas, features } = PLAN_FACTS[id]
    const counts = Object.fromEntries(Object.entries(quotas).map(([key, figure]) => [key, shown(figure)]))
    return PlanView.parse({
      id,
      name,
      price: price && { ...price, interval: 'month' },
      quotas: { ...counts, requests_per_minute: shown(perMinute), requests_per_day: shown(perDay) },
      features,
      is_current: id === plan,
    })
  })
}

export const SubscriptionView = z.object({
  plan_id: z.enum(PLANS).describe('Id of the plan.'),
  plan_granted: z.enum(PLANS).describe('The plan that the operator gave; a subscription only counts above it.'),
  status: z.enum([...SUBSCRIPTION_STATUSES, 'none']).describe('The current state.'),
  quantity: z.int().nullable().describe('The number of seats.'),
  current_period_start: z.string().nullable().describe('When the paid period began.'),
  current_period_end: z.string().nullable().describe('When the paid period ends.'),
  cancel_at_period_end: z.boolean().describe('Whether the subscription ends with the paid period.'),
  cancel_at: z.string().nullable().describe('When the subscription ends, where that is settled.'),
  trial_end: z.string().nullable().describe('When the trial ends or ended; null without one.'),
  interval: z.enum(INTERVALS).nullable().describe('How often it is paid.'),
  collection_paused: z.boolean().describe('Whether invoices are not collected for now; the plan stays.'),
  is_understood: z
    .boolean()
    .describe('False when the price at the provider names no plan that is known here; the last known plan is kept.'),
  grace_until: z.string().nullable().describe('The plan stays until then although a payment has failed.'),
  provider_subscription_id: z.string().nullable().describe('Id of the subscription at the payment provider.'),
  /** Days for which payloads are kept now, and until when that is longer than plan and settings give. */
  evidence_retention_days: z
    .int()
    .describe(
      'Days for which payloads are kept. Records, signatures and proofs stay. In settings null means those of the plan.',
    ),
  evidence_retention_grace_until: z
    .string()
    .nullable()
    .describe('Until then payloads are kept for longer than plan and settings give, because these gave more before.'),
})

export const allCheckouts = ({ table, space }: Context) =>
  table.query(checkouts, { pk: billingPartition(space.tenant_id), prefix: 'CHECKOUT#' })

/** A live one, else the one that ended last. */
export const mainSubscription = <T extends Subscription>(all: readonly T[]): T | undefined =>
  all.toSorted((a, b) => rank(b) - rank(a) || b.current_period_end.localeCompare(a.current_period_end))[0]

const rank = ({ status }: Subscription): number => (LIVE.includes(status) ? 1 : 0)

/** `plan_id`: the one in effect. What is granted is in effect, so a higher grant is none that counts. */
export async function readSubscription(ctx: Context): Promise<z.input<typeof SubscriptionView>> {
  const [tenant, retention, all] = await Promise.all([
    freshTenant(ctx.table, ctx.space.tenant_id),
    ctx.table.get(retentions, { ...ctx.space, mode: 'live' }),
    allSubscriptions(ctx),
  ])
  const { plan, plan_granted } = tenant
  const isGrace = retention !== undefined && inGrace(retention, ctx.now())
  const main = mainSubscription(all)
  return {
    plan_id: plan,
    plan_granted: isHigher(plan_granted, plan) ? 'free' : plan_granted,
    status: main?.status ?? 'none',
    quantity: main?.quantity ?? null,
    current_period_start: main?.current_period_start ?? null,
    current_period_end: main?.current_period_end ?? null,
    cancel_at_period_end: main?.cancel_at_period_end ?? false,
    cancel_at: main?.cancel_at ?? null,
    trial_end: main?.trial_end ?? null,
    interval: main?.interval ?? null,
    collection_paused: main?.collection_paused ?? false,
    is_understood: main?.unread === undefined,
    grace_until: main?.grace_until ?? null,
    provider_subscription_id: main?.provider_id ?? null,
    evidence_retention_days: isGrace ? daysInEffect(retention, ctx.now()) : retentionDays(tenant),
    evidence_retention_grace_until: (isGrace && retention.grace?.until) || null,
  }
}

export const InvoiceView = Invoice.omit({ tenant_id: true })

/** Newest first. */
export const listInvoices = ({ table, space }: Context) =>
  table.query(invoices, { pk: invoicesPartition(space.tenant_id), descending: true })
