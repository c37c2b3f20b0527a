// Sends people to the payment page: for a first subscription a checkout, for a change of plan the portal. A second checkout would
// make a second subscription.
import * as z from 'zod'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid, unavailable } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { oneAtATime } from '../../base/tenant/retention.ts'
import { isHigher, type Plan, PLANS } from '../../base/limits/plans.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { mustBeReturnAddress } from '../../identity/domains/return-address.ts'
import { customerOf, payingCustomer } from './customer.ts'
import { changePage, newSession, ownSession, priceOf, type Sale, type Started, startedBy } from './payment-page.ts'
import { allSubscriptions, type Checkout, checkouts, LIVE, type Subscription } from './subscription.ts'
import { grantOf } from './plan-writes.ts'
import { readMissed } from './refresh-invoice.ts'
import { allCheckouts, mainSubscription } from './read-billing.ts'
import { idOf } from './from-stripe.ts'
import { refreshSubscription } from './refresh-subscription.ts'
import { asked } from './stripe.ts'

export const CheckoutInput = z.strictObject({
  plan_id: z.string().max(64).describe('Id of the plan.'),
  success_url: z
    .string()
    .max(2_048)
    .describe('Where a person comes back to who has paid: on a verified domain, the application host or localhost.'),
  cancel_url: z
    .string()
    .max(2_048)
    .describe('Where a person comes back to who has not: on a verified domain, the application host or localhost.'),
})
export type CheckoutInput = z.output<typeof CheckoutInput>

/** A lost event of the provider costs no longer than this. */
const FIRST_LOOK_MS = 120_000

/**
 * Throws 422 for a plan that is not sold here and for addresses that are none of the tenant's, 409 for a plan that is in effect. Of several
 * payment pages only the latest stays open.
 */
export async function startCheckout(ctx: Context, input: CheckoutInput): Promise<Started> {
  const plan = soldPlan(input.plan_id)
  await mustBeReturnAddress(ctx, 'success_url', input.success_url)
  await mustBeReturnAddress(ctx, 'cancel_url', input.cancel_url)
  return retryWhenChanged(async () => {
    const alone = await oneAtATime(ctx, 'checkouts', new ChangedMeanwhile())
    const pages = await allCheckouts(ctx) // before the subscriptions: one that is paid is in the one or the other
    const [tenant, all] = await Promise.all([freshTenant(ctx.table, ctx.space.tenant_id), allSubscriptions(ctx)])
    const { plan: granted } = await grantOf(ctx, tenant)
    if (!isHigher(plan, granted)) throw conflict(`You have the plan ${granted} without paying for it.`)
    const main = mainSubscription(all)
    const live = main && LIVE.includes(main.status) ? main : undefined
    if (live?.plan_id === plan && !live.cancel_at_period_end) throw conflict(`You have the plan ${plan} already.`)
    const customer = await (live ? payingCustomer(ctx) : customerOf(ctx))
    if (!live && (await readMissed(ctx, customer))) throw justPaid()
    if (live?.unread) throw notUnderstood()
    const interval = live?.interval === 'year' ? 'yearly' : 'monthly'
    const sale = { plan, price: await priceOf(plan, interval), customer, input }
    return live ? changePlan(ctx, sale, live) : checkOut(ctx, sale, { pages, alone })
  })
}

/** Which of its items a change would be of, nobody knows. */
const notUnderstood = () =>
  conflict('What you pay for at the payment provider is not understood here. Ask the operator of this service.', {
    code: 'billing_not_configured',
  })

function soldPlan(plan_id: string): Exclude<Plan, 'free' | 'enterprise'> {
  const plan = PLANS.find((one) => one === plan_id)
  if (plan === 'enterprise') throw invalid(['plan_id'], 'is agreed in person: contact the operator of this service')
  if (plan === undefined || plan === 'free') throw invalid(['plan_id'], 'must be team or business')
  return plan
}

type Around = { pages: readonly Stored<Checkout>[]; alone: Write }

async function checkOut(ctx: Context, sale: Sale, { pages, alone }: Around): Promise<Started> {
  const { plan, input } = sale
  const { tenant_id } = ctx.space
  const { success_url, cancel_url } = input
  const now = ctx.now()
  const of = { tenant_id, input_sha256: sha256Hex(canonicalJson([tenant_id, plan, success_url, cancel_url])) }
  const was = pages.find(({ input_sha256 }) => input_sha256 === of.input_sha256)
  const open = pages.filter((page) => isOpen(page, now))
  const same = was && open.includes(was) ? await ownSession(ctx, was.session_id) : undefined
  if (same?.status === 'open') return answered(ctx, startedBy(same), plan)
  for (const page of open) await endCheckout(ctx, page)
  const ended = open.filter((page) => page !== was).map(endedCheckout)
  const session = await newSession(ctx, sale, [of.input_sha256, was?.session_id ?? ''])
  const { session_id, checkout_url: url, expires_at } = session
  const next = { ...of, session_id, url, expires_at, looks: 0, due_at: iso(now + FIRST_LOOK_MS) }
  const write = was
    ? checkouts.replace(next, was, new ChangedMeanwhile())
    : checkouts.insert(next, new ChangedMeanwhile())
  await ctx.table.commit([alone, write, ...ended, ...startedTraces(ctx, session_id, plan)], session_id)
  return session
}

/** The same open session: what is asked for again is recorded again. */
async function answered(ctx: Context, started: Started, plan: Plan): Promise<Started> {
  await ctx.table.commit(startedTraces(ctx, started.session_id, plan), started.session_id)
  return started
}

async function changePlan(ctx: Context, sale: Sale, live: Subscription): Promise<Started> {
  const started = await changePage(ctx, sale, live)
  await ctx.table.commit(startedTraces(ctx, started.session_id, sale.plan), started.session_id)
  return started
}

const startedTraces = (ctx: Context, session_id: string, plan: Plan) =>
  changed(ctx, [
    {
      action: 'billing.checkout_started',
      artifact: 'billing.checkout.started',
      subject: { type: 'checkout', id: session_id },
      data: { plan_id: plan },
    },
  ])

// Ends payment pages that are still open: if two were paid, there would be two subscriptions.

/** While it is looked after, its page may be paid. */
const isOpen = ({ due_at, expires_at }: Checkout, now: number): boolean =>
  due_at !== undefined && Date.parse(expires_at) > now

/** Notes that nobody needs to look after it any more. */
function endedCheckout(was: Stored<Checkout>): Write {
  const { due_at: _, ...rest } = was
  return checkouts.replace(rest, was, new ChangedMeanwhile())
}

const justPaid = () =>
  conflict('A payment has just been made. Read the subscription, then start again.', { code: 'just_paid' })

/** Throws 409 when it was paid meanwhile. */
async function endCheckout(ctx: Context, { session_id }: Checkout): Promise<void> {
  if (!(await ownSession(ctx, session_id))) return
  const ended = asked((client) => client.checkout.sessions.expire(session_id))
  // What is not open any more cannot be ended.
  const session = await ended.catch(() => ownSession(ctx, session_id))
  if (session?.status === 'open')
    throw unavailable('The payment provider does not answer. Try again.', new Error('a checkout stays open'))
  const of = idOf(session?.subscription)
  if (of === undefined) return
  await refreshSubscription(ctx, of)
  throw justPaid()
}
