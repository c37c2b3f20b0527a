// A stand-in for Stripe: the part of its API that this service calls, its payment page and portal, and its signed events.
import type { Clock } from '../clock.ts'
import type { Disk } from '../disk.ts'
import type { Reply } from '../connect/oauth.ts'
import { apiReply, json } from './api.ts'
import { createEvents, type Events } from './events.ts'
import { parseForm } from './form.ts'
import { pageReply } from './pages.ts'
import { openBooks, type State } from './state.ts'
import { createSubscriptions } from './subscriptions.ts'

export type PaymentsCall = { method: string; path: string; url: URL; text: string; idempotencyKey: string | undefined }

/** `hold`: events wait until they are sent by hand: tests choose order, loss and repetition. */
export type Payments = Pick<Events, 'deliverTo' | 'hold' | 'send' | 'signed'> & {
  account: (origin: string) => object
  handles: (path: string) => boolean
  answer: (call: PaymentsCall) => Promise<Reply>
  /** What a person or time does at the provider. */
  fail: (subscriptionId: string) => Promise<void>
  pay: (subscriptionId: string) => Promise<void>
  end: (subscriptionId: string) => Promise<void>
  state: State
}

/** A key belongs to one request. */
const misused = json(400, { error: { type: 'idempotency_error', message: 'The key was used with other parameters.' } })

export function createPayments(disk: Disk, clock: Clock): Payments {
  const books = openBooks(disk, clock)
  const { state, save, now } = books
  const events = createEvents(books)
  const subscriptions = createSubscriptions(books, events)
  const { find, change, bill } = subscriptions

  /** Saves the change of a step before its events are sent. */
  const done = (): Promise<void> => {
    save()
    return events.flush()
  }

  const api = (method: string, path: string, { url, text, idempotencyKey }: PaymentsCall): Reply => {
    const known = idempotencyKey === undefined ? undefined : state.answers[idempotencyKey]
    if (known && (known.text !== text || known.path !== path)) return misused
    if (known) return { ...json(200, {}), body: known.body }
    const reply = apiReply(books, { method, path, url, form: parseForm(text) })
    if (idempotencyKey !== undefined && reply.status === 200)
      state.answers[idempotencyKey] = { path, text, body: reply.body }
    return reply
  }

  return {
    ...events,
    account: (origin) => ({ secret_key: 'sk_test_local', webhook_secrets: [state.webhook_secret], origin }),
    handles: (path) => /^\/(?:v1|pay|portal)\//.test(path),
    answer: async (call) => {
      const { method, path, text } = call
      const decision = new URLSearchParams(text).get('decision') ?? ''
      const reply = path.startsWith('/v1/')
        ? api(method, path, call)
        : pageReply(books, subscriptions, { method, path, decision })
      if (method === 'POST') await done()
      return reply
    },
    fail: (id) => {
      change(find(id), { status: 'past_due' })
      bill(find(id), false)
      return done()
    },
    pay: (id) => {
      change(find(id), { status: 'active' })
      bill(find(id), true)
      return done()
    },
    end: (id) => {
      change(find(id), { status: 'canceled', canceled_at: now() })
      return done()
    },
    state,
  }
}
