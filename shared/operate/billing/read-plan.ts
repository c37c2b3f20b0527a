// Plan, period and end of a subscription, from every shape of the provider's object: several items, add-ons first, prices of a
// month or a year, with or without a look-up key, periods on items (since 2025) or on the subscription (before), an end at a date.
// What cannot be read is named in `unread`; what was known before stays in its place. Pure.
import type Stripe from 'stripe'
import { iso } from '../../base/lib/clock.ts'
import { higherPlan, type Plan, PLANS } from '../../base/limits/plans.ts'
import { INTERVALS, type Subscription, SUBSCRIPTION_STATUSES } from './subscription.ts'

const at = (seconds: number): string => iso(seconds * 1_000)

export type Interval = 'monthly' | 'yearly'

/** The look-up key of a price names its plan. */
export const lookupKeyOf = (plan: Plan, interval: Interval = 'monthly'): string => `${plan}_${interval}`

const PAID = PLANS.filter((plan) => plan !== 'free')
const BY_KEY: ReadonlyMap<string, Plan> = new Map(
  PAID.flatMap((plan) => (['monthly', 'yearly'] as const).map((interval) => [lookupKeyOf(plan, interval), plan])),
)
export const LOOKUP_KEYS: readonly string[] = [...BY_KEY.keys()]

/** What is said of a plan by name, of nothing else: a key or a name that is not exactly ours says nothing. */
const named = (metadata: Stripe.Metadata | null | undefined): Plan | undefined =>
  PAID.find((plan) => plan === (metadata?.['plan_id'] ?? metadata?.['plan']))

/** The products of the prices that have a look-up key: a price that lost its key to a newer one is still of its product. */
export type Products = ReadonlyMap<string, Plan>

const productOf = ({ product }: Stripe.Price): string | undefined =>
  typeof product === 'string' ? product : product?.id

export const productsOf = (prices: readonly Stripe.Price[]): Products =>
  new Map(
    prices.flatMap((price) => {
      const [plan, product] = [BY_KEY.get(price.lookup_key ?? ''), productOf(price)]
      return plan !== undefined && product !== undefined ? [[product, plan] as const] : []
    }),
  )

/** `was`: as it was stored. `products` is asked last. */
type Known = { was?: Subscription | undefined; products?: Products | undefined }

function planOf({ price }: Stripe.SubscriptionItem, { was, products }: Known): Plan | undefined {
  const { product } = price
  const ofProduct = typeof product === 'object' && !product.deleted ? named(product.metadata) : undefined
  return (
    BY_KEY.get(price.lookup_key ?? '') ??
    named(price.metadata) ??
    ofProduct ??
    (was && was.price_id === price.id ? was.plan_id : undefined) ??
    products?.get(productOf(price) ?? '')
  )
}

const isMetered = ({ price }: Stripe.SubscriptionItem): boolean => price.recurring?.usage_type === 'metered'

type PlanItem = { plan: Plan; item: Stripe.SubscriptionItem }

/** The item that pays for the plan: of several the highest, and what is paid in advance before what is metered. Others are add-ons. */
export function planItemOf(items: readonly Stripe.SubscriptionItem[], known: Known): PlanItem | undefined {
  const all = items.flatMap((item) => {
    const plan = item.deleted ? undefined : planOf(item, known)
    return plan === undefined ? [] : [{ plan, item }]
  })
  const plan = all.map((one) => one.plan).reduce(higherPlan, 'free')
  const best = all.filter((one) => one.plan === plan)
  return best.find(({ item }) => !isMetered(item)) ?? best[0]
}

export type SubscriptionFacts = Omit<
  Subscription,
  'tenant_id' | 'id' | 'previous_period_start' | 'grace_until' | 'task_id' | 'unread_task_id' | 'due_at'
>

/** `lastPlan`: what the tenant paid for last, by another subscription. */
export type Before = Known & { items: readonly Stripe.SubscriptionItem[]; lastPlan?: Plan | undefined }

export function subscriptionFacts(of: Stripe.Subscription, before: Before): SubscriptionFacts {
  const { was, items, lastPlan = 'free' } = before
  const found = planItemOf(items, before)
  const item =
    found?.item ?? items.find((one) => one.id === was?.item_id) ?? items.find((one) => !isMetered(one)) ?? items[0]
  const status = SUBSCRIPTION_STATUSES.find((one) => one === of.status)
  const period = periodOf(of, item)
  const from = at(of.start_date ?? of.created ?? 0)
  const [start, end] = period ?? [was?.current_period_start ?? from, was?.current_period_end ?? from]
  const unread = [
    ...(found ? [] : (['plan'] as const)),
    ...(status ? [] : (['status'] as const)),
    ...(period ? [] : (['period'] as const)),
  ]
  return {
    provider_id: of.id,
    item_id: item?.id ?? was?.item_id ?? '',
    plan_id: found?.plan ?? was?.plan_id ?? lastPlan,
    ...(found && { price_id: found.item.price.id }),
    status: status ?? was?.status ?? 'incomplete',
    quantity: item?.quantity ?? was?.quantity ?? 1,
    current_period_start: start,
    current_period_end: end,
    ...endOf(of, end),
    ...billedOf(of, item),
    ...(unread.length > 0 && { unread }),
  }
}

type Period = readonly [start: string, end: string]

/** On the item since 2025; on the subscription before, and then the same for all of its items. */
function periodOf(of: Stripe.Subscription, item: Stripe.SubscriptionItem | undefined): Period | undefined {
  const older: { current_period_start?: unknown; current_period_end?: unknown } = Object(of)
  for (const { current_period_start: start, current_period_end: end } of [item ?? {}, older] as const)
    if (typeof start === 'number' && typeof end === 'number') return [at(start), at(end)]
  return undefined
}

/** With flexible billing an end is a date: `cancel_at_period_end` is false also where that date is the end of the period. */
function endOf(of: Stripe.Subscription, periodEnd: string) {
  const { cancel_at, canceled_at, cancellation_details } = of
  const end = typeof cancel_at === 'number' ? at(cancel_at) : undefined
  const reason = cancellation_details?.reason
  return {
    cancel_at_period_end: of.cancel_at_period_end || end === periodEnd,
    ...(end !== undefined ? { cancel_at: end } : of.cancel_at_period_end && { cancel_at: periodEnd }),
    ...(typeof canceled_at === 'number' && { canceled_at: at(canceled_at) }),
    ...(reason && { cancel_reason: reason }),
  }
}

/** A pause of the collection leaves the status, and so the plan; invoices are not collected meanwhile. */
function billedOf({ pause_collection, trial_end }: Stripe.Subscription, item: Stripe.SubscriptionItem | undefined) {
  const interval = INTERVALS.find((one) => one === item?.price.recurring?.interval)
  return {
    ...(interval && { interval }),
    ...(typeof trial_end === 'number' && { trial_end: at(trial_end) }),
    ...(pause_collection && { collection_paused: true as const }),
  }
}
