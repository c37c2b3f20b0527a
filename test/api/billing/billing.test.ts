import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { billing } from '../../../functions/billing/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { tenants } from '../../../shared/base/tenant/tenant.ts'
import { type SsoConfiguration, ssoConfigurations } from '../../../shared/identity/sso/settings/configuration.ts'
import { customerOf, customers } from '../../../shared/operate/billing/customer.ts'
import { allCheckouts } from '../../../shared/operate/billing/read-billing.ts'
import { idOf } from '../../../shared/operate/billing/from-stripe.ts'
import { expectPlan } from '../../../shared/operate/billing/expect-plan.ts'
import { keepPlan, takeDue, verifiedEvent } from '../../../shared/operate/billing/work.ts'
import type { Reply } from '../../support/call.ts'
import { bodyOf } from '../../support/governed.ts'
import type { LocalStack, TestTenant } from '../../support/local-stack.ts'
import { openTable, systemContext } from '../../../shared/base/context.ts'
import { checkouts, invoices, type Subscription, subscriptions } from '../../../shared/operate/billing/subscription.ts'
import { sweepBilling } from '../../../shared/operate/billing/sweep-billing.ts'
import { hourOf, usageItemsOf, usageSums } from '../../../shared/ledger/usage/usage-item.ts'
import { pushUsage } from '../../../shared/operate/usage/push.ts'
import { alarms, plant, steal, tamper } from '../../support/insider.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { rewrite } from '../../support/rewrite.ts'
import { json, startTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const local = useLocalStack()
let acme: TestTenant
let payments: LocalStack['connect']['payments']
beforeEach(async () => {
  acme = await local.tenant({ plan: 'free' })
  payments = local.connect.payments
  payments.hold(false)
})

const urls = { success_url: 'http://localhost:3000/paid', cancel_url: 'http://localhost:3000/plans' }
const checkout = (plan_id = 'team', body: object = {}): Promise<Reply> =>
  acme.call(billing.checkout, { body: { plan_id, ...urls, ...body } })
const shown = async () => bodyOf(await acme.call(billing.getSubscription), 200)
const decide = async (url: string, decision: string) => {
  const body = new URLSearchParams({ decision })
  const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' })
  await local.drain()
  return answer.headers.get('location')
}

/** Through the payment page. */
async function pay(plan_id = 'team') {
  const { checkout_url } = bodyOf(await checkout(plan_id), 200)
  expect(await decide(checkout_url, 'pay')).toBe(urls.success_url)
  const of = await shown()
  return String(of.provider_subscription_id)
}
const payAs = (tenant: TestTenant) => {
  acme = tenant
  return pay()
}
const own = () =>
  Object.values(payments.state.subscriptions).filter(({ metadata }) => metadata['tenant_id'] === acme.tenant_id)

describe('the plans', () => {
  test('are four, with the one in effect', async () => {
    const { items } = bodyOf(await acme.call(billing.listPlans), 200)
    expect(items.map(({ id, is_current }: { id: string; is_current: boolean }) => [id, is_current])).toEqual([
      ['free', true],
      ['team', false],
      ['business', false],
      ['enterprise', false],
    ])
    expect(items[1]).toMatchObject({ price: { interval: 'month' }, quotas: { executions: 25_000, users: 25 } })
    expect(items[3]).toMatchObject({ price: null, quotas: { executions: null } })
  })
})

describe('a checkout', () => {
  test('gives the plan that is paid for, and an invoice', async () => {
    expect(await shown()).toMatchObject({ plan_id: 'free', status: 'none' })
    await pay('team')
    expect(await shown()).toMatchObject({ plan_id: 'team', plan_granted: 'free', status: 'active', quantity: 1 })
    const { items } = bodyOf(await acme.call(billing.listInvoices), 200)
    expect(items).toMatchObject([{ status: 'paid', currency: 'eur' }])
    expect(items[0].amount_paid_cents).toBeGreaterThan(0)
  })

  test('of another person finds the customer whose number was lost', async () => {
    const of = { tenant_id: acme.tenant_id }
    const ctx = systemContext({ ...of, mode: 'live' })
    const ask = (email: string) => customerOf({ ...ctx, principal: { ...ctx.principal, email } })
    const customer_id = await ask('ann@example.com')
    await openTable().commit([customers.remove(of)])
    payments.state.answers = {} // the provider forgets keys after a day
    expect(await ask('ben@example.com')).toBe(customer_id)
    expect(payments.state.customers[customer_id]).toMatchObject({ email: 'ben@example.com', name: expect.any(String) })
  })

  test('that is cancelled or declined changes nothing', async () => {
    const { checkout_url } = bodyOf(await checkout(), 200)
    await decide(checkout_url, 'decline')
    expect(await decide(checkout_url, 'cancel')).toBe(urls.cancel_url)
    expect(await shown()).toMatchObject({ plan_id: 'free', status: 'none' })
  })

  test('that is asked for again is the same open one', async () => {
    const [first, again] = [bodyOf(await checkout(), 200), bodyOf(await checkout(), 200)]
    expect(again.session_id).toBe(first.session_id)
  })

  test.for([
    [{ plan_id: 'free' }, 422],
    [{ plan_id: 'enterprise' }, 422],
    [{ plan_id: 'gold' }, 422],
    [{ success_url: 'http://app.example.com/' }, 422],
    [{ cancel_url: 'javascript:alert(1)' }, 422],
    [{ success_url: 'https://elsewhere.example/' }, 422],
  ] as const)('%j is %i', async ([body, status]) => {
    expect((await checkout('team', body)).status).toBe(status)
  })

  test('is refused for a plan that was granted or is paid for', async () => {
    await pay('team')
    expect((await checkout('team')).status).toBe(409)
    acme = await local.tenant({ plan: 'business' })
    expect((await checkout('team')).status).toBe(409)
  })

  test('whose event is lost counts after two minutes', async () => {
    payments.hold(true)
    const { checkout_url } = bodyOf(await checkout(), 200)
    await decide(checkout_url, 'pay')
    expect(await shown()).toMatchObject({ plan_id: 'free' })
    local.clock.moveTo(local.clock.now() + 121_000)
    await local.sweep()
    expect(await shown()).toMatchObject({ plan_id: 'team', status: 'active' })
  })
})

describe('a change of plan', () => {
  test('makes no second subscription', async () => {
    const id = await pay('team')
    const { checkout_url } = bodyOf(await checkout('business'), 200)
    expect(checkout_url).toContain('/portal/')
    expect(await decide(checkout_url, 'change')).toBe(urls.success_url)
    expect(await shown()).toMatchObject({ plan_id: 'business', provider_subscription_id: id })
    expect(own()).toHaveLength(1)
  })

  test('leaves one payment page open, whatever was begun before', async () => {
    const [first, second] = [bodyOf(await checkout('team'), 200), bodyOf(await checkout('business'), 200)]
    const third = bodyOf(await checkout('team'), 200)
    expect(new Set([first, second, third].map(({ session_id }) => session_id)).size).toBe(3)
    for (const { checkout_url } of [first, second]) expect(await decide(checkout_url, 'pay')).toBeNull()
    expect(await shown()).toMatchObject({ plan_id: 'free', status: 'none' })
    await decide(third.checkout_url, 'pay')
    expect(await shown()).toMatchObject({ plan_id: 'team', status: 'active' })
    expect(own()).toHaveLength(1)
  })

  test('of pages that are begun at once leaves one open, too', async () => {
    const begun = await Promise.all(['team', 'business', 'team'].map((plan) => checkout(plan)))
    for (const { body } of begun) await decide(body.checkout_url, 'pay')
    expect(own()).toHaveLength(1)
  })

  test('finds a payment of which no event has come yet', async () => {
    payments.hold(true)
    const { checkout_url } = bodyOf(await checkout('team'), 200)
    await decide(checkout_url, 'pay')
    expect(await checkout('business')).toMatchObject({ status: 409, body: { code: 'just_paid' } })
    expect(await shown()).toMatchObject({ plan_id: 'team', status: 'active' })
    expect(bodyOf(await checkout('business'), 200).checkout_url).toContain('/portal/')
  })

  test('ends with the period when it is cancelled in the portal', async () => {
    expect((await acme.call(billing.portal, { body: { return_url: urls.cancel_url } })).status).toBe(409)
    const id = await pay('team')
    const { portal_url } = bodyOf(await acme.call(billing.portal, { body: { return_url: urls.cancel_url } }), 200)
    expect(await decide(portal_url, 'cancel')).toBe(urls.cancel_url)
    expect(await shown()).toMatchObject({ plan_id: 'team', cancel_at_period_end: true })
    await payments.end(id)
    await local.drain()
    expect(await shown()).toMatchObject({ plan_id: 'free', status: 'canceled' })
  })
})

test.for([
  [400, { param: 'line_items[0][price]' }, 409],
  [400, { param: 'success_url' }, 422],
  [401, {}, 409],
  [402, {}, 409],
  [403, {}, 409],
  [409, {}, 503],
  [429, {}, 503],
  [500, {}, 503],
] as const)('a call that the provider answers with %i %j ends as %i', async ([theirs, error, ours]) => {
  const { stripe: account } = local.providers
  const target = await startTarget()
  Object.assign(local.providers, { stripe: { ...Object(account), origin: new URL(target.url).origin } })
  coldStart()
  target.next(json(theirs, { error: { type: 'invalid_request_error', ...error } }, { 'stripe-should-retry': 'false' }))
  const answer = await checkout()
  Object.assign(local.providers, { stripe: account })
  coldStart()
  await target.stop()
  expect(answer.status).toBe(ours)
})

test('what is read daily is due again, whatever becomes of its message', async () => {
  const id = await pay('team')
  const due = async () =>
    (await openTable().get(subscriptions, { tenant_id: acme.tenant_id, provider_id: id }))?.due_at ?? ''
  const space = { tenant_id: acme.tenant_id, mode: 'live' as const }
  const first = Date.parse(await due())
  await sweepBilling(systemContext(space), `SUB#${id}`)
  expect(Date.parse(await due())).toBe(first)
  local.clock.moveTo(first)
  await sweepBilling(systemContext(space), `SUB#${id}`)
  expect(Date.parse(await due()) - first).toBeLessThan(2 * 3_600_000)
  await local.drain()
  expect(Date.parse(await due()) - first).toBeGreaterThanOrEqual(DAY_MS)
})

test('a plan that somebody wrote into the table is set back daily, with evidence; one that is paid for stays', async () => {
  const ctx = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
  const raise = (plan: string) => openTable().update(tenants.key({ id: acme.tenant_id }), { set: { plan } })
  await raise('enterprise')
  await keepPlan(ctx)
  expect(await shown()).toMatchObject({ plan_id: 'free' })
  const { items } = bodyOf(await acme.call(evidence.latest, { query: { type: 'identity.tenant.updated' } }), 200)
  expect(items).toHaveLength(1)
  await pay('team')
  await keepPlan(ctx)
  expect(await shown()).toMatchObject({ plan_id: 'team' })
  await raise('enterprise')
  await keepPlan(ctx)
  expect(await shown()).toMatchObject({ plan_id: 'team' })
})

describe('a subscription that the provider describes in a way that is not understood', () => {
  const inside = () => systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
  const there = (id: string) => {
    const found = payments.state.subscriptions[id]
    const [item] = found?.items.data ?? []
    if (!found || !item) throw new Error('no subscription')
    return { found, item }
  }
  const readAgain = (id: string) => takeDue(inside(), `SUB#${id}`)
  const unknown = (item: { price: object }) =>
    Object.assign(item, { price: { ...item.price, id: 'price_x', lookup_key: null, product: 'prod_x' } })
  const tasks = async () =>
    bodyOf(await acme.call(work.listTasks, {}), 200).items.filter(({ title }: { title: string }) =>
      /operator/.test(title),
    )

  test('keeps its plan, with an alarm and one task for the operator, until it is understood', async () => {
    const id = await pay('business')
    const raised = alarms()
    unknown(there(id).item)
    for (let times = 0; times < 3; times++) await readAgain(id)
    await keepPlan(inside())
    expect(await shown()).toMatchObject({ plan_id: 'business', status: 'active', is_understood: false })
    expect(raised).toContain('subscription_unread')
    expect(await tasks()).toMatchObject([{ status: 'open', description: expect.stringContaining(id) }])
    expect(await checkout('team')).toMatchObject({ status: 409, body: { code: 'billing_not_configured' } })
    Object.assign(there(id).item.price, { lookup_key: 'team_yearly' })
    await readAgain(id)
    expect(await shown()).toMatchObject({ plan_id: 'team', is_understood: true })
    expect(await tasks()).toMatchObject([{ status: 'completed' }])
  })

  test('keeps its plan without items, with a status that is new, and when it follows one that ended', async () => {
    const id = await pay('team')
    const { found, item } = there(id)
    found.items.data = []
    await readAgain(id)
    expect(await shown()).toMatchObject({ plan_id: 'team', is_understood: false })
    Object.assign(found, { items: { ...found.items, data: [{ ...item, price: undefined }] } })
    await readAgain(id)
    expect(await shown()).toMatchObject({ plan_id: 'team', is_understood: false })
    found.items.data = [item]
    Object.assign(found, { status: 'hibernating' })
    await readAgain(id)
    expect(await shown()).toMatchObject({ plan_id: 'team', status: 'active' })
    const next = structuredClone({ ...found, id: 'sub_next', status: 'active' })
    next.items.data.forEach(unknown)
    payments.state.subscriptions['sub_next'] = next
    await payments.end(id)
    await readAgain('sub_next')
    await readAgain(id)
    expect(await shown()).toMatchObject({ plan_id: 'team', provider_subscription_id: 'sub_next' })
  })
})

test('a plan behind more items than fit on a page, of a year, is read and changed with its quantity', async () => {
  const id = await pay('team')
  const found = payments.state.subscriptions[id]
  const [item] = found?.items.data ?? []
  if (!found || !item) throw new Error('no subscription')
  const addOn = { ...item, price: { ...item.price, id: 'price_seats', lookup_key: null, product: 'prod_seats' } }
  const year = { ...item.price, id: 'price_team_yearly', lookup_key: 'team_yearly' }
  const recurring = { interval: 'year' as const, interval_count: 1, meter: null, trial_period_days: null }
  const yearly = {
    ...item,
    quantity: 4,
    current_period_end: item.current_period_start + 365 * 86_400,
    price: { ...year, recurring: { ...recurring, usage_type: 'licensed' as const } },
  }
  found.items.data = [...Array.from({ length: 11 }, (_, index) => ({ ...addOn, id: `si_${index}` })), yearly]
  await takeDue(systemContext({ tenant_id: acme.tenant_id, mode: 'live' }), `SUB#${id}`)
  const starts = new Date(item.current_period_start * 1_000).toISOString()
  expect(await shown()).toMatchObject({
    plan_id: 'team',
    quantity: 4,
    interval: 'year',
    current_period_start: starts,
    current_period_end: new Date(yearly.current_period_end * 1_000).toISOString(),
  })
  const { period } = bodyOf(await acme.call(billing.getUsage), 200)
  expect(period.start_at).toBe(starts)
  expect(Date.parse(period.end_at) - Date.parse(starts)).toBeLessThanOrEqual(31 * DAY_MS)
  const { checkout_url } = bodyOf(await checkout('business'), 200)
  await decide(checkout_url, 'change')
  expect(await shown()).toMatchObject({ plan_id: 'business', quantity: 4, interval: 'year' })
})

describe('in the table, without the service,', () => {
  const inside = () => systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
  const set = (members: object) => openTable().update(tenants.key({ id: acme.tenant_id }), { set: { ...members } })
  const forged = (parts: Partial<Subscription>): Subscription => ({
    tenant_id: acme.tenant_id,
    id: 'sub_forged',
    provider_id: 'sub_forged',
    item_id: 'si_forged',
    plan_id: 'business',
    status: 'active',
    quantity: 1,
    current_period_start: '2026-11-01T00:00:00.000Z',
    current_period_end: '2099-11-01T00:00:00.000Z',
    cancel_at_period_end: false,
    ...parts,
  })
  const aDay = async () => {
    await keepPlan(inside())
    await local.sweep()
  }
  test.for([undefined, 'soon', '2099-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z'])(
    'a subscription that is due %s is read within the day, and ends as the provider does not know it',
    async (due_at) => {
      const raised = alarms()
      await openTable().commit([subscriptions.insert(forged({}))])
      await openTable().commit([subscriptions.replace(forged({ due_at }), { _v: 1 })])
      await openTable().update(subscriptions.key(forged({})), { remove: ['gsi2pk', 'gsi2sk'] })
      await set({ plan: 'business' })
      await aDay()
      expect(await shown()).toMatchObject({ plan_id: 'free', status: 'canceled' })
      const { items } = bodyOf(
        await acme.call(evidence.latest, { query: { type: 'billing.subscription.canceled' } }),
        200,
      )
      expect(items).toMatchObject([{ subject: { type: 'subscription', id: 'sub_forged' } }])
      expect(raised).toContain('subscription_not_at_provider')
      await aDay()
      expect(await shown()).toMatchObject({ plan_id: 'free', status: 'canceled' })
    },
  )

  test('the subscription of another tenant pays for nothing', async () => {
    const provider_id = await pay('team')
    acme = await local.tenant({ plan: 'free' })
    await openTable().commit([subscriptions.insert(forged({ provider_id, plan_id: 'team' }))])
    await aDay()
    expect(await shown()).toMatchObject({ plan_id: 'free', status: 'canceled' })
    expect(payments.state.subscriptions[provider_id]).toMatchObject({ status: 'active' })
  })

  test('the customer of another tenant is nobody for this one, and no event of that one reaches this one', async () => {
    const raised = alarms()
    const of = { tenant_id: acme.tenant_id }
    const [mine, provider_id] = [acme, await payAs(await local.tenant({ plan: 'free' }))]
    acme = mine
    const theirs = idOf(payments.state.subscriptions[provider_id]?.customer) ?? ''
    await openTable().commit([customers.insert({ ...of, customer_id: theirs })])
    expect((await acme.call(billing.portal, { body: { return_url: urls.cancel_url } })).status).toBe(409)
    for (const { pk, sk } of usageItemsOf(inside().space, hourOf(local.clock.now())))
      await openTable().update({ pk, sk }, { add: { executions: 30_000 }, set: { _type: usageSums.name } })
    local.clock.moveTo(local.clock.now() + 2 * HOUR_MS)
    await pushUsage(inside())
    expect(Object.keys(payments.state.meters).filter((key) => key.startsWith(theirs))).toEqual([])
    await payments.pay(provider_id)
    await local.drain()
    expect(bodyOf(await acme.call(billing.listInvoices), 200).items).toEqual([])
    const { session_id } = bodyOf(await checkout(), 200)
    const customer_id = idOf(payments.state.sessions[session_id]?.customer) ?? ''
    expect(payments.state.customers[customer_id]?.metadata).toEqual(of)
    expect(await openTable().get(customers, of)).toMatchObject({ customer_id })
    expect(raised).toContain('customer_not_at_provider')
  })

  test.for(['taken out', 'another'])(
    'the customer that is %s costs no portal, no overage and no invoice',
    async (how) => {
      const provider_id = await pay('team')
      const of = { tenant_id: acme.tenant_id }
      const customer_id = idOf(payments.state.subscriptions[provider_id]?.customer) ?? ''
      const spoil = async () => {
        if (how === 'another') await tamper(customers.key(of), { customer_id: 'cus_elsewhere' })
        else await openTable().commit([customers.remove(of)])
      }
      await spoil()
      await payments.pay(provider_id)
      await local.drain()
      expect(bodyOf(await acme.call(billing.listInvoices), 200).items).toHaveLength(2)
      expect((await acme.call(billing.portal, { body: { return_url: urls.cancel_url } })).status).toBe(200)
      expect(await openTable().get(customers, of)).toMatchObject({ customer_id })
      await spoil()
      for (const { pk, sk } of usageItemsOf(inside().space, hourOf(local.clock.now())))
        await openTable().update({ pk, sk }, { add: { executions: 30_000 }, set: { _type: usageSums.name } })
      local.clock.moveTo(local.clock.now() + 2 * HOUR_MS)
      await pushUsage(inside())
      expect(Object.keys(payments.state.meters).filter((key) => key.startsWith(customer_id))).toHaveLength(1)
      await spoil()
      bodyOf(await checkout('business'), 200)
      const all = Object.values(payments.state.customers).filter(
        ({ metadata }) => metadata['tenant_id'] === of.tenant_id,
      )
      expect(all).toHaveLength(1)
    },
  )

  test('what is taken out, or invented, of subscriptions and invoices is as the provider has it within the day', async () => {
    const provider_id = await pay('team')
    const listed = async () => bodyOf(await acme.call(billing.listInvoices), 200).items
    const [first] = await listed()
    const at = invoices.key({ tenant_id: acme.tenant_id, id: first.id, created_at: first.created_at })
    await tamper(at, { hosted_url: 'https://evil.example/pay' })
    await plant({ ...(await steal(at)), sk: `${at.sk}X`, id: `${first.id}X` })
    expect(await listed()).toEqual([])
    payments.hold(true)
    local.clock.moveTo(local.clock.now() + HOUR_MS)
    await payments.pay(provider_id)
    await openTable().commit([subscriptions.remove({ tenant_id: acme.tenant_id, provider_id })])
    await openTable().commit([customers.remove({ tenant_id: acme.tenant_id })])

    await expectPlan(inside())
    await local.drain()
    expect(await shown()).toMatchObject({ plan_id: 'team', status: 'active', provider_subscription_id: provider_id })
    expect(await listed()).toMatchObject([{ status: 'paid', hosted_url: null }, first])
    expect(
      bodyOf(await acme.call(evidence.latest, { query: { type: 'identity.tenant.updated' } }), 200).items,
    ).toHaveLength(1)
  })

  test('a subscription that was taken out is found before a second one is sold', async () => {
    const provider_id = await pay('team')
    await tamper(subscriptions.key({ tenant_id: acme.tenant_id, provider_id }), { status: 'canceled' })
    expect(await shown()).toMatchObject({ status: 'none' })
    expect((await checkout('team')).status).toBe(409)
    expect(await shown()).toMatchObject({ status: 'active', provider_subscription_id: provider_id })
    expect(own()).toHaveLength(1)
  })

  test('the payment page of another tenant is neither shown nor ended', async () => {
    const mine = acme
    acme = await local.tenant({ plan: 'free' })
    const { session_id } = bodyOf(await checkout(), 200)
    acme = mine
    bodyOf(await checkout(), 200)
    const [row] = await allCheckouts(inside())
    if (!row) throw new Error('no page')
    await openTable().commit([checkouts.replace({ ...row, session_id, url: 'https://evil.example/pay' }, row)])
    const anew = bodyOf(await checkout(), 200)
    expect(anew.session_id).not.toBe(session_id)
    expect(anew.checkout_url).toContain(anew.session_id)
    expect(payments.state.sessions).toMatchObject({
      [session_id]: { status: 'open' },
      [anew.session_id]: { client_reference_id: acme.tenant_id },
    })
  })

  test('the subscription of another tenant cannot be changed', async () => {
    await pay('team')
    const mine = acme
    const provider_id = await payAs(await local.tenant({ plan: 'free' }))
    acme = mine
    await openTable().commit([subscriptions.insert(forged({ provider_id, plan_id: 'team' }))])
    expect(await checkout('business')).toMatchObject({ status: 409, body: { code: 'payment_provider_refused' } })
  })

  test('a grace of years lasts 14 days', async () => {
    const provider_id = await pay('team')
    await payments.fail(provider_id)
    await local.drain()
    const row = { ...forged({ provider_id }), tenant_id: acme.tenant_id }
    await rewrite(subscriptions, row, { grace_until: '2099-01-01T00:00:00.000Z' })
    await takeDue(inside(), `SUB#${provider_id}`)
    const { grace_until } = await shown()
    expect(Date.parse(grace_until) - local.clock.now()).toBeLessThanOrEqual(14 * DAY_MS)
  })

  test('a row that the service did not write counts for nothing and stops nothing', async () => {
    const raised = alarms()
    const { pk } = subscriptions.key(forged({}))
    const places = ['SUB#elsewhere', 'SUB#sub_broken', 'SUB#']
    await openTable().commit([subscriptions.insert(forged({}))])
    const row = await steal(subscriptions.key(forged({})))
    for (const sk of places) await plant({ ...row, pk, sk, ...(sk === 'SUB#sub_broken' && { quantity: 'x' }) })
    await set({ plan: 'enterprise' })
    await aDay()
    expect(await shown()).toMatchObject({ plan_id: 'free', status: 'canceled' })
    expect(raised).toContain('row_forged')
  })

  test('a grant counts for nothing, whatever artifact it names; one of the founding stays', async () => {
    const raised = alarms()
    const free = acme
    acme = await local.tenant({ plan: 'business' })
    const { plan_artifact_id } = (await openTable().get(tenants, { id: acme.tenant_id })) ?? {}
    const ofFree = bodyOf(await free.call(evidence.latest, { query: { type: 'identity.tenant.created' } }), 200).items
    await aDay()
    expect(await shown()).toMatchObject({ plan_id: 'business', plan_granted: 'business' })
    await set({ plan_granted: 'enterprise' })
    await aDay()
    expect(await shown()).toMatchObject({ plan_id: 'free', plan_granted: 'free' })
    acme = free
    for (const named of [undefined, 'art_unknown', plan_artifact_id, ofFree[0].id]) {
      await set({ plan: 'business', plan_granted: 'business', plan_artifact_id: named })
      await aDay()
      expect(await shown()).toMatchObject({ plan_id: 'free', plan_granted: 'free' })
    }
    expect(raised).toContain('plan_grant_without_evidence')
    expect(bodyOf(await checkout('team'), 200).checkout_url).toContain('/pay/')
  })
})

describe('a failed payment', () => {
  test('leaves the plan for a grace of 14 days, a task, and one mail to the owners', async () => {
    const id = await pay('team')
    const letters = async () => (await mailsTo(local, acme.owner.email)).filter(({ kind }) => kind === 'payment_failed')
    for (let failures = 0; failures < 2; failures += 1) await payments.fail(id)
    await local.drain()
    const { grace_until } = await shown()
    expect(await shown()).toMatchObject({ plan_id: 'team', status: 'past_due' })
    expect(await letters()).toMatchObject([{ text: expect.stringContaining(`ends at ${grace_until.slice(0, 10)}`) }])
    expect(Date.parse(grace_until) - local.clock.now()).toBeGreaterThan(13 * DAY_MS)
    local.clock.moveTo(Date.parse(grace_until) + 60_000)
    await takeDue(systemContext({ tenant_id: acme.tenant_id, mode: 'live' }), `SUB#${id}`)
    expect(await shown()).toMatchObject({ plan_id: 'free', status: 'past_due' })
    await payments.pay(id)
    await local.drain()
    expect(await shown()).toMatchObject({ plan_id: 'team', status: 'active', grace_until: null })
    expect(await letters()).toHaveLength(1)
    await payments.fail(id)
    expect(await letters()).toHaveLength(2)
  })
})

describe('the receiver', () => {
  const post = (body: string, signature?: string, provider = 'stripe') =>
    fetch(`${local.apiUrl}/api/v1/billing/webhooks/${provider}`, {
      method: 'POST',
      body,
      headers: signature === undefined ? {} : { 'stripe-signature': signature },
    })
  const body = '{"id":"evt_1","object":"event","type":"x","data":{"object":{}},"livemode":false}'

  test('takes only what is signed, now, over the very bytes', async () => {
    const now = Math.floor(local.clock.now() / 1_000)
    const statuses = await Promise.all([
      post(body, payments.signed(body)),
      post(`${body} `, payments.signed(body)),
      post(body),
      post(body, payments.signed(body, now - 280)),
      post(body, payments.signed(body, now - 320)),
      post(body, payments.signed(body, now + 320)),
      post(body, payments.signed(body), 'paypal'),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([200, 400, 400, 200, 400, 400, 404])
  })

  test('has no limit of its address, whatever it is sent', async () => {
    process.env.ADDRESS_RATE_FACTOR = String(1 / 300) // one request a minute
    onTestFinished(() => void (process.env.ADDRESS_RATE_FACTOR = '20'))
    const login = () => local.call(auth.forgotPassword, { body: { email: 'nobody@example.com' } })
    expect([(await login()).status, (await login()).status]).toEqual([202, 429])
    for (const [signature, status] of [
      ['wrong', 400],
      ['wrong', 400],
      [payments.signed(body), 200],
      [payments.signed(body), 200],
    ] as const)
      expect((await post(body, signature)).status).toBe(status)
  })

  test('signatures are those of the published vector', async () => {
    const sent = Buffer.from('{"id":"evt_1","object":"event"}')
    const signature = 't=1795300000,v1=be3871f402f80447acb55d4899520d6ea3a4317e8eced9a59a3dc953b6fdfbc4'
    const now = 1_795_300_000_000
    expect(await verifiedEvent(sent, signature, { secrets: ['whsec_other', 'whsec_test_secret'], now })).toMatchObject({
      id: 'evt_1',
    })
    await expect(verifiedEvent(sent, signature, { secrets: ['whsec_other'], now })).rejects.toThrow('signature')
  })

  test('does not exist while the operator has no account', async () => {
    const { stripe } = local.providers
    delete local.providers['stripe']
    coldStart()
    expect((await post(body, payments.signed(body))).status).toBe(404)
    expect(await checkout()).toMatchObject({ status: 409, body: { code: 'billing_not_configured' } })
    Object.assign(local.providers, { stripe })
    coldStart()
  })
})

test('a lower plan locks nobody out: single sign-on is no longer the only way in', async () => {
  const id = await pay('business')
  const table = openTable()
  const sso: SsoConfiguration = {
    tenant_id: acme.tenant_id,
    protocol: 'oidc',
    enabled: true,
    enforce: true,
    domains: [],
    jit: false,
    default_roles: [],
    role_mappings: [],
    roles_authoritative: false,
    trust_idp_mfa: false,
    login_redirect_uris: [],
    attribute_map: {},
    sp: { certificate: '', private_key: '' },
    created_at: '2026-11-23T00:00:00.000Z',
    updated_at: '2026-11-23T00:00:00.000Z',
  }
  await table.commit([ssoConfigurations.insert(sso)])
  await payments.end(id)
  await local.drain()
  expect(await table.get(ssoConfigurations, { tenant_id: acme.tenant_id })).toMatchObject({
    enforce: false,
    enabled: true,
  })
  expect(await table.get(tenants, { id: acme.tenant_id })).toMatchObject({ plan: 'free' })
  const { items } = bodyOf(
    await acme.call(security.auditLogs, {
      params: { tenant_id: acme.tenant_id },
      query: { action: 'tenant.plan_changed' },
    }),
    200,
  )
  expect(items[0].changes).toEqual([
    { path: 'plan', before: 'business', after: 'free' },
    { path: 'sso.enforce', before: true, after: false },
  ])
})
