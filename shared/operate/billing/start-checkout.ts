// Sends people to the payment page: for a first subscription a checkout, for a change of plan the portal. A second checkout would
// make a second subscription.
import * as z from 'zod'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken, retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { oneAtATime } from '../../base/tenant/room.ts'
import { isHigher, type Plan, PLANS } from '../../base/limits/plans.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { mustBeReturnAddress } from '../../identity/domains/return-address.ts'
import { customerOf, payingCustomer } from './customer.ts'
import { changePage, newSession, ownSession, priceOf, type Sale, startedBy, type Started } from './payment-page.ts'
import { endCheckout, endedCheckout, isOpen, justPaid } from './end-checkouts.ts'
import { allSubscriptions } from './all-subscriptions.ts'
import { grantOf } from './granted-plan.ts'
import { readMissed } from './read-account.ts'
import { allCheckouts, mainSubscription } from './read-billing.ts'
import { type Checkout, checkouts, LIVE, type Subscription } from './subscription.ts'

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
  return retryWhenOvertaken(async () => {
    const alone = await oneAtATime(ctx, 'checkouts', new Overtaken())
    const pages = await allCheckouts(ctx) // before the subscriptions: one that is paid is in the one or the other
    const [tenant, all] = await Promise.all([freshTenant(ctx.table, ctx.space.tenant_id), allSubscriptions(ctx)])
    const { plan: granted } = await grantOf(ctx, tenant)
    if (!isHigher(plan, granted)) throw conflict(`You have the plan ${granted} without paying for it.`)
    const main = mainSubscription(all)
    const live = main && LIVE.includes(main.status) ? main : undefined
    if (live?.plan_id === plan && !live.cancel_at_period_end) throw conflict(`You have the plan ${plan} already.`)
    const customer = await (live ? payingCustomer(ctx) : customerOf(ctx))
    if (!live && (await readMissed(ctx, customer))) throw justPaid()
    const sale = { plan, price: await priceOf(plan), customer, input }
    return live ? changePlan(ctx, sale, live) : checkOut(ctx, sale, { pages, alone })
  })
}

function soldPlan(asked: string): Exclude<Plan, 'free' | 'enterprise'> {
  const plan = PLANS.find((one) => one === asked)
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
  const write = was ? checkouts.replace(next, was, new Overtaken()) : checkouts.insert(next, new Overtaken())
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
