// The part of Stripe's API that this service calls.
import type Stripe from 'stripe'
import type { Reply } from '../connect/oauth.ts'
import { textAt, type Tree } from './form.ts'
import { METERS, metered, summed } from './meters.ts'
import { customer, portalSession, session } from './objects.ts'
import { type Books, PRICES } from './state.ts'

const SESSION_SECONDS = 86_400

export const json = (status: number, body: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const listed = (url: string, data: readonly object[]): Reply =>
  json(200, { object: 'list', has_more: false, url, data })

const refused = (status: number, message: string, code?: string): Reply =>
  json(status, { error: { type: 'invalid_request_error', message, ...(code !== undefined && { code }) } })

const found = (object: object | undefined): Reply =>
  object ? json(200, object) : refused(404, 'No such object', 'resource_missing')

export type ApiCall = { method: string; path: string; url: URL; form: Tree }

export function apiReply(books: Books, { method, path, url, form }: ApiCall): Reply {
  const { state } = books
  const [, , kind = '', ...rest] = path.split('/')
  const [last = '', before = ''] = rest.toReversed()
  if (method === 'POST') {
    if (kind === 'customers') return last === '' ? newCustomer(books, form) : changedCustomer(books, last, form)
    if (path === '/v1/checkout/sessions') return newSession(books, form, url)
    if (kind === 'checkout' && last === 'expire') return expired(books, before)
    if (path === '/v1/billing_portal/sessions') return newPortal(books, form, url)
    const event = path === '/v1/billing/meter_events' ? metered(state, form) : undefined
    return event ? json(200, event) : refused(400, 'An event exists with it.', 'duplicate_meter_event')
  }
  if (kind === 'prices')
    return listed(
      path,
      PRICES.filter((one) => one.lookup_key === url.searchParams.get('lookup_keys[0]')),
    )
  if (path === '/v1/billing/meters') return listed(path, METERS)
  if (last === 'event_summaries') return listed(path, summed(state, before, url))
  if (kind === 'checkout') return found(state.sessions[last])
  if (kind === 'customers') return found(state.customers[last])
  return found(kind === 'subscriptions' ? state.subscriptions[last] : state.invoices[last])
}

function newCustomer({ state, id }: Books, form: Tree): Reply {
  const made = customer({ id: id('cus'), name: textAt(form, 'name') ?? null, metadata: metadataOf(form) })
  state.customers[made.id] = made
  return json(200, made)
}

function changedCustomer({ state }: Books, id: string, form: Tree): Reply {
  const of = state.customers[id]
  if (of)
    Object.assign(of, {
      name: textAt(form, 'name') ?? of.name,
      email: textAt(form, 'email') ?? of.email,
      metadata: metadataOf(form, of.metadata),
    })
  return found(of)
}

/** What is not named stays; an empty value takes a name away. */
function metadataOf({ metadata }: Tree, was: Stripe.Metadata = {}): Stripe.Metadata {
  const given = typeof metadata === 'object' ? metadata : {}
  const all = Object.entries({ ...was, ...given })
  return Object.fromEntries(all.filter((one): one is [string, string] => typeof one[1] === 'string' && one[1] !== ''))
}

function newSession({ state, id, now }: Books, form: Tree, url: URL): Reply {
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

/** Only an open session can be ended. */
function expired({ state }: Books, id: string): Reply {
  const of = state.sessions[id]
  if (!of) return found(of)
  if (of.status !== 'open') return refused(400, `This Session has the status ${of.status}; only open ones expire.`)
  return json(200, Object.assign(of, { status: 'expired', url: null }))
}

function newPortal({ state, id }: Books, form: Tree, url: URL): Reply {
  const made = portalSession({ id: id('bps'), customer: textAt(form, 'customer') ?? '' })
  made.url = `${url.origin}/portal/${made.id}`
  const flow = form['flow_data']
  const confirm = typeof flow === 'object' ? flow['subscription_update_confirm'] : undefined
  const subscription = textAt(confirm, 'subscription')
  if (subscription !== undefined && state.subscriptions[subscription]?.customer !== made.customer)
    return refused(400, 'The subscription is not of this customer.')
  const after = textAt(flow, 'after_completion', 'redirect', 'return_url') ?? ''
  const change = subscription && { subscription, price: textAt(confirm, 'items', '0', 'price') ?? '', after }
  const return_url = textAt(form, 'return_url') ?? ''
  state.portals[made.id] = { customer: made.customer, return_url, ...(change && { change }) }
  return json(200, made)
}
