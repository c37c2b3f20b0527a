// Stands for Stripe: the part of its API that this service calls, its payment page and portal, and its signed events. State is kept
// on disk, so that a restart forgets nothing.
import { createHmac, randomBytes } from 'node:crypto'
import type Stripe from 'stripe'
import { html, Html, page } from '../../../shared/base/wire/page.ts'
import { PLAN_FACTS } from '../../../shared/base/limits/plans.ts'
import type { Clock } from '../clock.ts'
import type { Disk } from '../disk.ts'
import type { Reply } from '../connect/oauth.ts'
import { parseForm, textAt, type Tree } from './form.ts'
import { customer, invoice, portalSession, price, session, subscription } from './objects.ts'

const FILE = 'payments.json'
const MONTH_SECONDS = 30 * 86_400
const SESSION_SECONDS = 86_400

type State = {
  webhook_secret: string
  customers: Record<string, Stripe.Customer>
  sessions: Record<string, Stripe.Checkout.Session>
  /** What each session sells. */
  sold: Record<string, string>
  portals: Record<
    string,
    { customer: string; return_url: string; change?: { subscription: string; price: string; after: string } }
  >
  subscriptions: Record<string, Stripe.Subscription>
  invoices: Record<string, Stripe.Invoice>
  /** By customer, meter and hour: the newest event of each. */
  meters: Record<string, { identifier: string; value: number }>
  /** Answers by idempotency key. */
  answers: Record<string, string>
}

export type PaymentsCall = { method: string; path: string; url: URL; text: string; idempotencyKey: string | undefined }

export type Payments = {
  account: (origin: string) => object
  handles: (path: string) => boolean
  answer: (call: PaymentsCall) => Promise<Reply>
  /** Where events are sent, once it is known. */
  deliverTo: (url: string) => void
  /** What a person or time does at the provider. */
  fail: (subscriptionId: string) => Promise<void>
  pay: (subscriptionId: string) => Promise<void>
  end: (subscriptionId: string) => Promise<void>
  /** Events wait until they are sent by hand: tests choose order, loss and repetition. */
  hold: (isHeld: boolean) => Stripe.Event[]
  send: (event: Stripe.Event) => Promise<number>
  signed: (body: string, at?: number) => string
  state: State
}

const json = (status: number, body: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const listed = (url: string, data: readonly object[]): Reply =>
  json(200, { object: 'list', has_more: false, url, data })

const METERS = ['executions', 'tokens'].map((name) => ({
  id: `mtr_${name}`,
  object: 'billing.meter',
  event_name: `countersign_${name}`,
  status: 'active',
}))

const missing = (id: string): Reply =>
  json(404, { error: { type: 'invalid_request_error', code: 'resource_missing', message: `No such object: ${id}` } })

export function createPayments(disk: Disk, clock: Clock): Payments {
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
  const now = () => Math.floor(clock.now() / 1_000)
  const id = (prefix: string) => `${prefix}_${randomBytes(9).toString('hex')}`
  let target: string | undefined
  let held: Stripe.Event[] | undefined

  const signed = (body: string, at = now()): string =>
    `t=${at},v1=${createHmac('sha256', state.webhook_secret).update(`${at}.${body}`).digest('hex')}`

  const send = async (event: Stripe.Event): Promise<number> => {
    if (target === undefined) return 0
    const body = JSON.stringify(event)
    const headers = { 'content-type': 'application/json', 'stripe-signature': signed(body) }
    return (await fetch(target, { method: 'POST', body, headers })).status
  }

  const emit = async (type: string, object: object): Promise<void> => {
    const event = {
      id: id('evt'),
      object: 'event',
      type,
      created: now(),
      livemode: false,
      data: { object: structuredClone(object) },
    }
    const told = event as Stripe.Event
    if (held) held.push(told)
    else await send(told).catch(() => 0) // a lost event: the service asks by itself
    if (!held && process.env['COUNTERSIGN_CHAOS'] === '1') await send(told).catch(() => 0)
  }

  const priceIds = { team: 'price_team', business: 'price_business' } as const
  const prices = Object.entries(priceIds).map(([plan, priceId]) =>
    price({
      id: priceId,
      lookup_key: `${plan}_monthly`,
      unit_amount: PLAN_FACTS[plan as keyof typeof priceIds].price?.amount_cents ?? 0,
      currency: 'eur',
    }),
  )
  const priceOf = (wanted: string | undefined) => prices.find((one) => one.id === wanted)

  const bill = async (of: Stripe.Subscription, paid: boolean): Promise<void> => {
    const [item] = of.items.data
    const amount = item?.price.unit_amount ?? 0
    const made = invoice({
      id: id('in'),
      number: `LOCAL-${String(Object.keys(state.invoices).length + 1).padStart(4, '0')}`,
      status: paid ? 'paid' : 'open',
      amount_due: amount,
      amount_paid: paid ? amount : 0,
      currency: 'eur',
      customer: of.customer,
      created: now(),
      period_start: item?.current_period_start ?? now(),
      period_end: item?.current_period_end ?? now(),
      hosted_invoice_url: null,
      invoice_pdf: null,
      status_transitions: {
        finalized_at: now(),
        marked_uncollectible_at: null,
        paid_at: paid ? now() : null,
        voided_at: null,
      },
      parent: {
        type: 'subscription_details',
        quote_details: null,
        subscription_details: { metadata: null, subscription: of.id },
      },
    })
    state.invoices[made.id] = made
    await emit('invoice.finalized', made)
    await emit(paid ? 'invoice.paid' : 'invoice.payment_failed', made)
  }

  const subscribe = async (of: Stripe.Checkout.Session): Promise<void> => {
    const start = now()
    const made = subscription({
      id: id('sub'),
      customer: of.customer as string,
      status: 'active',
      created: start,
      metadata: { tenant_id: of.client_reference_id ?? '' },
      items: {
        object: 'list',
        has_more: false,
        url: '',
        data: [
          {
            id: id('si'),
            object: 'subscription_item',
            price: priceOf(state.sold[of.id]) ?? price({}),
            quantity: 1,
            current_period_start: start,
            current_period_end: start + MONTH_SECONDS,
          } as Stripe.SubscriptionItem,
        ],
      },
    })
    state.subscriptions[made.id] = made
    Object.assign(of, { status: 'complete', payment_status: 'paid', subscription: made.id })
    await emit('customer.subscription.created', made)
    await emit('checkout.session.completed', of)
    await bill(made, true)
    save()
  }

  const changed = async (of: Stripe.Subscription, parts: Partial<Stripe.Subscription>): Promise<void> => {
    Object.assign(of, parts)
    await emit(of.status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated', of)
    save()
  }

  const found = (subscriptionId: string): Stripe.Subscription => {
    const of = state.subscriptions[subscriptionId]
    if (!of) throw new Error(`no subscription ${subscriptionId}`)
    return of
  }

  const api = (method: string, path: string, form: Tree, url: URL): Reply => {
    const [, , kind = '', ...rest] = path.split('/')
    if (method === 'POST' && path === '/v1/customers') {
      const made = customer({ id: id('cus'), name: textAt(form, 'name') ?? null, metadata: {} })
      state.customers[made.id] = made
      return json(200, made)
    }
    if (path === '/v1/prices') {
      const key = url.searchParams.get('lookup_keys[0]')
      return json(200, {
        object: 'list',
        has_more: false,
        url: path,
        data: prices.filter((one) => one.lookup_key === key),
      })
    }
    if (method === 'POST' && path === '/v1/checkout/sessions') return checkout(form, url)
    if (method === 'POST' && path === '/v1/billing_portal/sessions') return portal(form, url)
    if (method === 'POST' && path === '/v1/billing/meter_events') return metered(form)
    if (path === '/v1/billing/meters') return listed(path, METERS)
    if (path.endsWith('/event_summaries')) return listed(path, summed(rest[1] ?? '', url))
    const last = rest.at(-1) ?? ''
    const of =
      kind === 'checkout'
        ? state.sessions[last]
        : kind === 'subscriptions'
          ? state.subscriptions[last]
          : kind === 'invoices'
            ? state.invoices[last]
            : undefined
    return of ? json(200, of) : missing(last)
  }

  const summed = (meterId: string, { searchParams }: URL): object[] => {
    const of = `${searchParams.get('customer') ?? ''}:${METERS.find((one) => one.id === meterId)?.event_name ?? ''}:`
    const [from, to] = ['start_time', 'end_time'].map((name) => Number(searchParams.get(name)) / 3_600)
    return Object.entries(state.meters)
      .filter(([key]) => key.startsWith(of))
      .map(([key, { value }]) => ({ hour: Number(key.slice(of.length)), value }))
      .filter(({ hour }) => hour >= (from ?? 0) && hour < (to ?? 0))
      .map(({ hour, value }) => ({
        object: 'billing.meter_event_summary',
        start_time: hour * 3_600,
        end_time: (hour + 1) * 3_600,
        aggregated_value: value,
        meter: meterId,
      }))
  }

  const metered = (form: Tree): Reply => {
    const [identifier = '', name = ''] = [textAt(form, 'identifier'), textAt(form, 'event_name')]
    const known = Object.values(state.meters).some((one) => one.identifier === identifier)
    if (known)
      return json(400, {
        error: { type: 'invalid_request_error', code: 'duplicate_meter_event', message: 'An event exists with it.' },
      })
    const hour = Math.floor(Number(textAt(form, 'timestamp')) / 3_600)
    const key = `${textAt(form, 'payload', 'stripe_customer_id')}:${name}:${hour}`
    state.meters[key] = { identifier, value: Number(textAt(form, 'payload', 'value')) }
    return json(200, { object: 'billing.meter_event', identifier, event_name: name, livemode: false })
  }

  const checkout = (form: Tree, url: URL): Reply => {
    const made = session({
      id: id('cs'),
      customer: textAt(form, 'customer') ?? null,
      client_reference_id: textAt(form, 'client_reference_id') ?? null,
      success_url: textAt(form, 'success_url') ?? null,
      cancel_url: textAt(form, 'cancel_url') ?? null,
      status: 'open',
      payment_status: 'unpaid',
      expires_at: now() + SESSION_SECONDS,
    })
    made.url = `${url.origin}/pay/${made.id}`
    state.sessions[made.id] = made
    state.sold[made.id] = textAt(form, 'line_items', '0', 'price') ?? ''
    return json(200, made)
  }

  const portal = (form: Tree, url: URL): Reply => {
    const made = portalSession({ id: id('bps'), customer: textAt(form, 'customer') ?? '' })
    made.url = `${url.origin}/portal/${made.id}`
    const flow = form['flow_data']
    const confirm = typeof flow === 'object' ? flow['subscription_update_confirm'] : undefined
    const of = textAt(confirm, 'subscription')
    state.portals[made.id] = {
      customer: made.customer,
      return_url: textAt(form, 'return_url') ?? '',
      ...(of !== undefined && {
        change: {
          subscription: of,
          price: textAt(confirm, 'items', '0', 'price') ?? '',
          after: textAt(flow, 'after_completion', 'redirect', 'return_url') ?? '',
        },
      }),
    }
    return json(200, made)
  }

  const pages = async (method: string, path: string, text: string): Promise<Reply> => {
    const [, kind = '', key = ''] = path.split('/')
    const decision = new URLSearchParams(text).get('decision') ?? ''
    return kind === 'pay' ? payPage(method, key, decision) : portalPage(method, key, decision)
  }

  const payPage = async (method: string, key: string, decision: string): Promise<Reply> => {
    const of = state.sessions[key]
    if (of?.status !== 'open') return shown('This page is no longer open', html`<p>Nothing was paid. Start again.</p>`)
    const amount = priceOf(state.sold[of.id])?.unit_amount ?? 0
    if (method === 'GET')
      return shown(
        'Pay for your plan',
        question(
          `${money(amount)} a month. No card is charged: this page stands for the payment provider on this machine.`,
          PAY,
        ),
      )
    if (decision === 'decline') return shown('The card was declined', question('Nothing was paid.', PAY))
    if (decision !== 'pay') return redirect(of.cancel_url ?? '')
    await subscribe(of)
    return redirect(of.success_url ?? '')
  }

  const portalPage = async (method: string, key: string, decision: string): Promise<Reply> => {
    const of = state.portals[key]
    if (!of) return shown('This page is no longer open', html`<p>Start again.</p>`)
    const own = Object.values(state.subscriptions).find(
      (one) => one.customer === of.customer && one.status !== 'canceled',
    )
    if (method === 'GET') {
      const amount = priceOf(of.change?.price)?.unit_amount ?? 0
      return of.change
        ? shown('Change your plan', question(`From now on ${money(amount)} a month.`, CHANGE))
        : shown('Your subscription', question(own ? `It is ${own.status}.` : 'There is none.', own ? MANAGE : BACK))
    }
    const { change } = of
    if (decision === 'change' && change) {
      const changing = found(change.subscription)
      const [item] = changing.items.data
      const next = priceOf(change.price)
      if (item && next) item.price = next
      await changed(changing, {})
      await bill(changing, true)
      return redirect(change.after)
    }
    if (decision === 'cancel' && own) await changed(own, { cancel_at_period_end: true })
    return redirect(of.return_url)
  }

  return {
    account: (origin) => ({ secret_key: 'sk_test_local', webhook_secrets: [state.webhook_secret], origin }),
    handles: (path) => /^\/(?:v1|pay|portal)\//.test(path),
    answer: async ({ method, path, url, text, idempotencyKey }) => {
      if (!path.startsWith('/v1/')) return pages(method, path, text)
      const known = idempotencyKey === undefined ? undefined : state.answers[idempotencyKey]
      if (known !== undefined) return { ...json(200, {}), body: known }
      const reply = api(method, path, parseForm(text), url)
      if (idempotencyKey !== undefined && reply.status === 200) state.answers[idempotencyKey] = reply.body
      if (method === 'POST') save()
      return reply
    },
    deliverTo: (url) => (target = url),
    fail: async (of) => {
      await changed(found(of), { status: 'past_due' })
      await bill(found(of), false)
    },
    pay: async (of) => {
      await changed(found(of), { status: 'active' })
      await bill(found(of), true)
    },
    end: (of) => changed(found(of), { status: 'canceled', canceled_at: now() }),
    hold: (isHeld) => (held = isHeld ? [] : undefined) ?? [],
    send,
    signed,
    state,
  }
}

const money = (cents: number): string => `EUR ${(cents / 100).toFixed(2)}`

type Choice = readonly [value: string, words: string]
const PAY: readonly Choice[] = [
  ['pay', 'Pay'],
  ['decline', 'Pay with a card that is declined'],
  ['cancel', 'Cancel'],
]
const CHANGE: readonly Choice[] = [
  ['change', 'Confirm'],
  ['back', 'Go back'],
]
const MANAGE: readonly Choice[] = [
  ['cancel', 'Cancel at the end of the period'],
  ['back', 'Go back'],
]
const BACK: readonly Choice[] = [['back', 'Go back']]

function question(words: string, choices: readonly Choice[]): Html {
  const buttons = choices.map(
    ([value, label], index) =>
      html`<button name="decision" value="${value}" ${index > 0 ? new Html(' class="second"') : ''}>${label}</button>`
        .text,
  )
  return html`<p>${words}</p>
    <form method="post">${new Html(buttons.join(' '))}</form>`
}

function shown(title: string, content: Html): Reply {
  const { status, headers, body } = page(title, content)
  return { status, headers, body: String(body) }
}

const redirect = (location: string): Reply => ({ status: 303, headers: { location }, body: '' })
