// The part of Stripe's API that this service calls.
import type Stripe from 'stripe'
import type { Reply } from '../connect/oauth.ts'
import { textAt, type Tree } from './form.ts'
import { METERS, metered, summed } from './meters.ts'
import { customer, portalSession, session } from './objects.ts'
import { type Books, PRICES, type State } from './state.ts'

const SESSION_SECONDS = 86_400

export const json = (status: number, body: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const listed = (url: string, data: readonly object[]): Reply =>
  json(200, { object: 'list', has_more: false, url, data })

/** The newest, as many as are asked for. */
function ofCustomer<T extends { customer: unknown }>({ pathname, searchParams }: URL, all: Record<string, T>): Reply {
  const data = Object.values(all).filter((one) => one.customer === searchParams.get('customer'))
  const limit = Number(searchParams.get('limit') ?? 10)
  return json(200, {
    object: 'list',
    has_more: data.length > limit,
    url: pathname,
    data: data.toReversed().slice(0, limit),
  })
}

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
      PRICES.filter(({ lookup_key }) => lookup_key !== null && lookupKeysIn(url).includes(lookup_key)),
    )
  if (kind === 'subscription_items')
    return listed(path, state.subscriptions[url.searchParams.get('subscription') ?? '']?.items.data ?? [])
  if (path === '/v1/billing/meters') return listed(path, METERS)
  if (last === 'event_summaries') return listed(path, summed(state, before, url))
  if (kind === 'checkout') return found(state.sessions[last])
  if (kind === 'customers') return last === 'search' ? searched(state, url) : found(state.customers[last])
  if (path === '/v1/invoices') return ofCustomer(url, state.invoices)
  if (path === '/v1/subscriptions') return ofCustomer(url, notCanceled(state))
  return found(kind === 'subscriptions' ? firstItems(state.subscriptions[last]) : state.invoices[last])
}

const lookupKeysIn = ({ searchParams }: URL): string[] =>
  [...searchParams].filter(([name]) => name.startsWith('lookup_keys[')).map(([, value]) => value)

/** Unless a status is asked for. */
const notCanceled = ({ subscriptions }: State): State['subscriptions'] =>
  Object.fromEntries(Object.entries(subscriptions).filter(([, { status }]) => status !== 'canceled'))

const ITEMS_SHOWN = 10

/** A subscription holds the first page of its items. */
const firstItems = (of: Stripe.Subscription | undefined): Stripe.Subscription | undefined =>
  of && {
    ...of,
    items: { ...of.items, data: of.items.data.slice(0, ITEMS_SHOWN), has_more: of.items.data.length > ITEMS_SHOWN },
  }

const METADATA_QUERY = /^metadata\['(?<name>[^']+)'\]:'(?<value>[^']*)'$/

/** Of the language of queries only what finds a value of the metadata. */
function searched({ customers }: State, { pathname, searchParams }: URL): Reply {
  const { name, value } = METADATA_QUERY.exec(searchParams.get('query') ?? '')?.groups ?? {}
  if (name === undefined) return refused(400, 'The query is none of those that this server knows.')
  const data = Object.values(customers).filter(({ metadata }) => metadata[name] === value)
  return json(200, { object: 'search_result', has_more: false, next_page: null, url: pathname, data })
}

function newCustomer({ state, id, now }: Books, form: Tree): Reply {
  const [name, created] = [textAt(form, 'name') ?? null, now()]
  const made = customer({ id: id('cus'), name, created, metadata: metadataOf(form) })
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
  const [item = '', sold = ''] = [textAt(confirm, 'items', '0', 'id'), textAt(confirm, 'items', '0', 'price')]
  const quantity = Number(textAt(confirm, 'items', '0', 'quantity') ?? 1)
  const change = subscription && { subscription, item, price: sold, quantity, after }
  const return_url = textAt(form, 'return_url') ?? ''
  state.portals[made.id] = { customer: made.customer, return_url, ...(change && { change }) }
  return json(200, made)
}
