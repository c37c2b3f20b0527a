import { array, assert, asyncProperty, constant, nat, oneof } from 'fast-check'
import type Stripe from 'stripe'
import { beforeEach, describe, expect, test } from 'vitest'
import { billing } from '../../../functions/billing/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { billingPartition } from '../../../shared/operate/billing/customer.ts'
import { checkouts, invoices, invoicesPartition } from '../../../shared/operate/billing/subscription.ts'
import { billingEvent, takeDue, takeEvent } from '../../../shared/operate/billing/work.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let events: Stripe.Event[]
beforeEach(async () => {
  acme = await governed(local, undefined, { plan: 'free' })
  events = local.connect.payments.hold(true)
})

const urls = { success_url: 'http://localhost:3000/paid', cancel_url: 'http://localhost:3000/plans' }
const checkout = async (plan_id: string) =>
  bodyOf(await acme.call(billing.checkout, { body: { plan_id, ...urls } }), 200).checkout_url
const decide = (url: string, decision: string) =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ decision }), redirect: 'manual' })
const shown = async () => bodyOf(await acme.call(billing.getSubscription), 200)

const deliver = async (event: Stripe.Event | undefined) => {
  const known = event && billingEvent(event)
  if (known) await takeEvent(known)
}

/** What the provider has of this tenant. */
const there = () => {
  const { subscriptions, invoices: all } = local.connect.payments.state
  const [subscription] = Object.values(subscriptions).filter(({ metadata }) => metadata['tenant_id'] === acme.tenant_id)
  if (!subscription) throw new Error('no subscription')
  return { subscription, invoices: Object.values(all).filter(({ customer }) => customer === subscription.customer) }
}

/** What happens at the provider after the first payment, in its order. */
const happenings = (): (() => Promise<unknown>)[] => {
  const { payments } = local.connect
  const { id } = there().subscription
  return [
    async () => {
      await takeDue(acme.ctx, `SUB#${id}`)
      await decide(await checkout('business'), 'change')
    },
    () => payments.fail(id),
    () => payments.pay(id),
    () => payments.fail(id),
    () => payments.end(id),
  ]
}

describe('events of the payment provider', () => {
  test('in any order, repeated, lost and late, end in the state that it has, and tell each change once', async () => {
    const steps = array(oneof(constant('next' as const), nat({ max: 24 })), { maxLength: 24 })
    await assert(
      asyncProperty(steps, async (all) => {
        acme = await governed(local, undefined, { plan: 'free' })
        events = local.connect.payments.hold(true)
        await decide(await checkout('team'), 'pay')
        const left = happenings()
        const told = await acme.told(async () => {
          for (const step of all) {
            if (step === 'next') await left.shift()?.()
            else await deliver(events[step])
          }
          await everythingDue()
        })
        await isAsThere()
        const types = told.map(({ type }) => type)
        expect(types.filter((type) => type === 'subscription.created').length).toBeLessThanOrEqual(1)
        const paid = told.flatMap(({ data }) => ('invoice_id' in data ? [data.invoice_id] : []))
        expect(new Set(paid).size).toBe(paid.length)
      }),
      { numRuns: 15 },
    )
  })

  async function everythingDue(): Promise<void> {
    const ctx = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
    const pages = await ctx.table.query(checkouts, { pk: billingPartition(acme.tenant_id), prefix: 'CHECKOUT#' })
    for (const page of pages) await takeDue(ctx, checkouts.key(page).sk)
    await takeDue(ctx, `SUB#${there().subscription.id}`)
  }

  async function isAsThere(): Promise<void> {
    const { subscription, invoices: all } = there()
    const { status, id } = subscription
    const paysFor = subscription.items.data[0]?.price.lookup_key?.replace('_monthly', '')
    expect(await shown()).toMatchObject({
      plan_id: status === 'canceled' ? 'free' : paysFor,
      status,
      provider_subscription_id: id,
    })
    const known = await acme.ctx.table.query(invoices, { pk: invoicesPartition(acme.tenant_id) })
    for (const one of known) expect(all.find((other) => other.id === one.id)?.status).toBe(one.status)
  }

  test('of a customer that nobody knows, of the live mode, or of another kind change nothing', async () => {
    await decide(await checkout('team'), 'pay')
    const [event] = events
    if (!event) throw new Error('no event')
    const foreign = structuredClone(event)
    Object.assign(foreign.data.object, { customer: 'cus_unknown' })
    for (const sent of [foreign, { ...event, livemode: true }, { ...event, type: 'charge.succeeded' }])
      expect(await local.connect.payments.send(sent as Stripe.Event)).toBe(200)
    await local.drain()
    expect(await shown()).toMatchObject({ plan_id: 'free', status: 'none' })
  })

  test('are carried out by the queue, each once', async () => {
    await decide(await checkout('team'), 'pay')
    const told = await acme.told(async () => {
      for (const event of [...events, ...events]) expect(await local.connect.payments.send(event)).toBe(200)
      await local.drain()
    })
    const types = told.map(({ type }) => type).filter((type) => /^(?:subscription|invoice)/.test(type))
    expect(types).toEqual(['subscription.created', 'invoice.paid'])
  })
})
