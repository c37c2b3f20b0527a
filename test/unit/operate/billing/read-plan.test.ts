import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { subscriptionOf } from '../../../../shared/operate/billing/from-stripe.ts'
import { productsOf, subscriptionFacts } from '../../../../shared/operate/billing/read-plan.ts'
import type { Subscription } from '../../../../shared/operate/billing/subscription.ts'

const START = 1_795_000_000
const MONTH = 30 * 86_400
const YEAR = 365 * 86_400
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString()

type Item = { id?: string; price?: object; quantity?: number | undefined; length?: number; deleted?: true }
const item = ({ id = 'si_1', price = {}, length = MONTH, ...more }: Item = {}) =>
  ({
    object: 'subscription_item',
    id,
    current_period_start: START,
    current_period_end: START + length,
    quantity: 1,
    ...more,
    price: {
      id: 'price_1',
      lookup_key: null,
      product: 'prod_1',
      metadata: {},
      recurring: { interval: 'month' },
      ...price,
    },
  }) as Stripe.SubscriptionItem

const keyed = (lookup_key: string, more: Item = {}) => item({ ...more, price: { lookup_key, ...more.price } })
const addOn = (more: Item = {}) =>
  item({ id: 'si_addon', price: { id: 'price_addon', product: 'prod_seats' }, ...more })

const subscription = (parts: object = {}) =>
  ({
    id: 'sub_1',
    status: 'active',
    billing_mode: { type: 'flexible' },
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: null,
    pause_collection: null,
    trial_end: null,
    start_date: START,
    ...parts,
  }) as Stripe.Subscription

const known: Subscription = {
  tenant_id: 'ten_1',
  id: 'sub_ours',
  provider_id: 'sub_1',
  item_id: 'si_1',
  plan_id: 'business',
  price_id: 'price_known',
  status: 'active',
  quantity: 3,
  current_period_start: iso(START - MONTH),
  current_period_end: iso(START),
  cancel_at_period_end: false,
}

const read = (items: Stripe.SubscriptionItem[], parts = {}, before = {}) =>
  subscriptionFacts(subscription(parts), { items, ...before })

describe('the plan of a subscription', () => {
  test.for([
    ['a look-up key', [keyed('team_monthly')], 'team'],
    ['a yearly look-up key', [keyed('business_yearly')], 'business'],
    ['a plan that is agreed', [keyed('enterprise_yearly')], 'enterprise'],
    ['an add-on before it', [addOn(), keyed('team_monthly')], 'team'],
    ['several add-ons around it', [addOn(), addOn({ id: 'si_b' }), keyed('business_monthly'), addOn()], 'business'],
    ['two plans: the higher', [keyed('team_monthly'), keyed('business_monthly', { id: 'si_2' })], 'business'],
    ['metadata of the price', [item({ price: { metadata: { plan_id: 'team' } } })], 'team'],
    ['metadata of the product', [item({ price: { product: { id: 'prod_1', metadata: { plan: 'team' } } } })], 'team'],
    [
      'an item that was removed beside it',
      [keyed('business_monthly', { deleted: true }), keyed('team_monthly')],
      'team',
    ],
  ] as const)('is read from %s', ([, items, plan_id]) => {
    const facts = read([...items])
    expect(facts).toMatchObject({ plan_id, status: 'active', current_period_end: iso(START + MONTH) })
    expect(facts).not.toHaveProperty('unread')
  })

  test('is that of the product when a price has lost its look-up key to a newer one', () => {
    const sold = { id: 'price_new', lookup_key: 'team_monthly', product: 'prod_team' } as Stripe.Price
    const products = productsOf([sold, { ...sold, lookup_key: 'other' }])
    expect(read([item({ price: { product: 'prod_team' } })], {}, { products })).toMatchObject({ plan_id: 'team' })
    expect(read([item()], {}, { products })).toMatchObject({ plan_id: 'free', unread: ['plan'] })
  })

  test('stays for the price that it was read from', () => {
    const facts = read([item({ price: { id: 'price_known' } })], {}, { was: known })
    expect(facts).toMatchObject({ plan_id: 'business', price_id: 'price_known' })
    expect(facts).not.toHaveProperty('unread')
  })

  test.for(['Team_monthly', 'team', 'team_monthly_v2', 'pro_monthly', 'team_weekly', 'free_monthly', ''])(
    'is not guessed from the look-up key %j: the last good one stays',
    (key) => {
      const facts = read([keyed(key)], {}, { was: known })
      expect(facts).toMatchObject({ plan_id: 'business', unread: ['plan'] })
      expect(facts).not.toHaveProperty('price_id')
      expect(read([keyed(key)], {}, { lastPlan: 'team' })).toMatchObject({ plan_id: 'team', unread: ['plan'] })
    },
  )

  test('stays when there are no items, and with a status that is new', () => {
    expect(read([], {}, { was: known })).toMatchObject({
      plan_id: 'business',
      item_id: 'si_1',
      quantity: 3,
      current_period_end: known.current_period_end,
      unread: ['plan', 'period'],
    })
    const facts = read([keyed('team_monthly')], { status: 'hibernating' }, { was: known })
    expect(facts).toMatchObject({ plan_id: 'team', status: 'active', unread: ['status'] })
  })

  test('is of the item that is paid in advance, not of the metered one of the same product', () => {
    const recurring = { interval: 'month', usage_type: 'metered' }
    const metered = keyed('team_monthly', { id: 'si_metered', quantity: undefined, price: { recurring } })
    const facts = read([metered, keyed('team_monthly', { quantity: 7 })])
    expect(facts).toMatchObject({ item_id: 'si_1', quantity: 7 })
    expect(read([metered])).toMatchObject({ item_id: 'si_metered', quantity: 1 })
  })
})

describe('the period and the end of a subscription', () => {
  test('are those of the item of the plan', () => {
    const recurring = { interval: 'year', usage_type: 'licensed' }
    const facts = read([addOn(), keyed('team_yearly', { length: YEAR, price: { recurring } })])
    expect(facts).toMatchObject({ current_period_end: iso(START + YEAR), interval: 'year' })
  })

  test('are those of the subscription in versions before 2025', () => {
    const { current_period_start: _, current_period_end: __, ...older } = keyed('team_monthly')
    const facts = read([older as Stripe.SubscriptionItem], {
      current_period_start: START,
      current_period_end: START + 5,
    })
    expect(facts).toMatchObject({
      plan_id: 'team',
      current_period_start: iso(START),
      current_period_end: iso(START + 5),
    })
    expect(facts).not.toHaveProperty('unread')
  })

  test.for([
    [{ cancel_at_period_end: true }, true, START + MONTH],
    [{ cancel_at: START + MONTH }, true, START + MONTH],
    [{ cancel_at: START + 5 }, false, START + 5],
    [{ cancel_at: START + 2 * MONTH }, false, START + 2 * MONTH],
  ] as const)('with %j', ([parts, cancel_at_period_end, ends]) => {
    expect(read([keyed('team_monthly')], parts)).toMatchObject({ cancel_at_period_end, cancel_at: iso(ends) })
  })

  test('without an end, a trial or a pause none is named', () => {
    const facts = read([keyed('team_monthly')])
    expect(facts).toMatchObject({ cancel_at_period_end: false })
    for (const name of ['cancel_at', 'trial_end', 'collection_paused']) expect(facts).not.toHaveProperty(name)
  })

  test('trials and pauses of the collection keep the plan', () => {
    const parts = { status: 'trialing', trial_end: START + 9, pause_collection: { behavior: 'void', resumes_at: null } }
    expect(read([keyed('team_monthly')], parts)).toMatchObject({
      plan_id: 'team',
      status: 'trialing',
      trial_end: iso(START + 9),
      collection_paused: true,
    })
  })
})

test('an invoice names its subscription under parent, and before 2025 on itself', () => {
  const parent = { subscription_details: { subscription: { id: 'sub_1' } } }
  for (const invoice of [{ parent }, { subscription: 'sub_1' }, { parent: null, subscription: { id: 'sub_1' } }])
    expect(subscriptionOf(invoice as Stripe.Invoice)).toBe('sub_1')
  expect(subscriptionOf({ parent: null } as Stripe.Invoice)).toBeUndefined()
})
