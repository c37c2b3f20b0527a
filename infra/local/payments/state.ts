// What the payment provider remembers. It stands on disk, so that a restart forgets nothing.
import { randomBytes } from 'node:crypto'
import type Stripe from 'stripe'
import { PLAN_FACTS } from '../../../shared/base/limits/plans.ts'
import type { Clock } from '../clock.ts'
import type { Disk } from '../disk.ts'
import { price } from './objects.ts'

const FILE = 'payments.json'

export type Portal = {
  customer: string
  return_url: string
  change?: { subscription: string; item: string; price: string; quantity: number; after: string }
}

export type State = {
  webhook_secret: string
  customers: Record<string, Stripe.Customer>
  sessions: Record<string, Stripe.Checkout.Session>
  /** What each session sells. */
  sold: Record<string, string>
  portals: Record<string, Portal>
  subscriptions: Record<string, Stripe.Subscription>
  invoices: Record<string, Stripe.Invoice>
  /** By customer, meter and hour: the newest event of each. */
  meters: Record<string, { identifier: string; value: number }>
  /** Requests and their answers by idempotency key. */
  answers: Record<string, { path: string; text: string; body: string }>
}

/** `now`: seconds. */
export type Books = { state: State; save: () => void; now: () => number; id: (prefix: string) => string }

export function openBooks(disk: Disk, clock: Clock): Books {
  const fresh: State = {
    webhook_secret: `whsec_${randomBytes(24).toString('hex')}`,
    customers: {},
    sessions: {},
    sold: {},
    portals: {},
    subscriptions: {},
    invoices: {},
    meters: {},
    answers: {},
  }
  const state = (disk.readSecretFile(FILE) as State | undefined) ?? fresh // this module alone writes it
  const save = () => disk.writeSecretFile(FILE, state)
  save()
  return {
    state,
    save,
    now: () => Math.floor(clock.now() / 1_000),
    id: (prefix) => `${prefix}_${randomBytes(9).toString('hex')}`,
  }
}

const PRICE_IDS = { team: 'price_team', business: 'price_business' } as const

const YEARLY_MONTHS = 10 // two of twelve are free

/** Of each plan a price of a month and one of a year, both of one product. */
export const PRICES = Object.entries(PRICE_IDS).flatMap(([plan, id]) =>
  (['month', 'year'] as const).map((interval) =>
    price({
      id: interval === 'month' ? id : `${id}_yearly`,
      lookup_key: `${plan}_${interval}ly`,
      product: `prod_${plan}`,
      recurring: { interval, interval_count: 1, meter: null, trial_period_days: null, usage_type: 'licensed' },
      unit_amount:
        (PLAN_FACTS[plan as keyof typeof PRICE_IDS].price?.amount_cents ?? 0) *
        (interval === 'month' ? 1 : YEARLY_MONTHS),
      currency: 'eur',
    }),
  ),
)

export const priceOf = (id: string | undefined): Stripe.Price | undefined => PRICES.find((one) => one.id === id)
