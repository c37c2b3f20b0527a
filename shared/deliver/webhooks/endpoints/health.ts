// When an endpoint counts as failing, and how it recovers. A success is stored only when the counter is above zero or the
// status is not active, so a healthy endpoint is never written.
import { DAY_MS, iso } from '../../../base/lib/clock.ts'
import type { Context } from '../../../base/context.ts'
import type { EventDraft } from '../../../ledger/events/event.ts'
import { commitWith } from '../../../ledger/evidence/artifact/record.ts'
import { info } from '../../../base/lib/log.ts'
import { lifecycle } from '../../../ledger/evidence/artifact/lifecycle.ts'
import { type Mail, type MailKind, newMail } from '../../../ledger/events/mail.ts'
import type { Stored, Write } from '../../../base/table/entity.ts'
import type { Delivery } from '../delivery.ts'
import { type Endpoint, ENDPOINT_STATES, endpoints, type EndpointStatus } from './endpoint.ts'

/** Exhausted deliveries in a row after which a log entry is written for operators. */
const FAILURES_LOGGED = 3

/** Settings of the deployment: exhausted deliveries in a row that put an endpoint into `error`, and days it stays there. */
const failuresMax = () => Number(process.env.WEBHOOK_FAILURES_MAX ?? 5)
const errorDays = () => Number(process.env.WEBHOOK_ERROR_DAYS ?? 5)

type DisabledReason = NonNullable<Endpoint['disabled_reason']>

/** Returns the next version of the endpoint, or the same object when nothing changes. */
export type HealthRule = (endpoint: Endpoint, now: number) => Endpoint

/** After any 2xx. */
export function succeeded(endpoint: Endpoint): Endpoint {
  if (endpoint.consecutive_failed === 0 && endpoint.status !== 'error') return endpoint
  const status = endpoint.status === 'error' ? 'active' : endpoint.status
  return { ...endpoint, status, consecutive_failed: 0, ...NOT_FAILING }
}

const NOT_FAILING = { error_since: undefined, disable_at: undefined }

/** After a delivery whose retries are used up. */
export function exhausted(endpoint: Endpoint, now: number): Endpoint {
  const consecutive_failed = endpoint.consecutive_failed + 1
  if (endpoint.status !== 'active' || consecutive_failed < failuresMax()) return { ...endpoint, consecutive_failed }
  const disable_at = iso(now + errorDays() * DAY_MS)
  return { ...endpoint, consecutive_failed, status: 'error', error_since: iso(now), disable_at }
}

/** While it is in `error`: after the single attempt for each event, and at `disable_at`. */
export function stillFailing(endpoint: Endpoint, now: number): Endpoint {
  const { disable_at } = endpoint
  return disable_at !== undefined && disable_at <= iso(now) ? disabled(endpoint, 'unhealthy') : endpoint
}

export function disabled(endpoint: Endpoint, disabled_reason: DisabledReason): Endpoint {
  return endpoint.status === 'disabled' ? endpoint : { ...endpoint, status: 'disabled', disabled_reason }
}

/** Enabled by a person, which clears the error state. */
export const enabled = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  status: 'active',
  consecutive_failed: 0,
  ...NOT_FAILING,
  disabled_reason: undefined,
})

/**
 * The writes of the endpoint's next version. A change of status also makes an artifact, an event and a mail to the tenant's
 * owners. Empty when nothing changed.
 */
export function healthWrites(ctx: Context, was: Stored<Endpoint>, next: Endpoint, last?: Delivery['last']): Write[] {
  if (next === was) return []
  if (next.consecutive_failed === FAILURES_LOGGED && was.consecutive_failed < FAILURES_LOGGED) {
    info('webhook_endpoint_failing', { tenant: was.tenant_id, endpoint: was.id, failed: next.consecutive_failed })
  }
  if (next.status === was.status) return [life.touch(was, next).write]
  const { write, transition } = life.move(ctx, was, next.status, next, last)
  return [write, ...commitWith(ctx, [transition], { mails: [statusMail(ctx, next)] })]
}

const life = lifecycle(endpoints, ENDPOINT_STATES, {
  facts: (next, was) => ({
    type: 'webhook.endpoint.status_changed',
    subject: { type: 'webhook_endpoint', id: next.id },
    data: { from: was?.status ?? null, to: next.status, ...(next.disabled_reason && { reason: next.disabled_reason }) },
  }),
  events: (next, was, last?: Delivery['last']) => (was ? [statusEvent(was, next, last)] : []),
  lost: () => undefined, // health is counted anew from the endpoint as it is by then
})

const MAIL_OF = {
  active: 'webhook_recovered',
  error: 'webhook_failing',
  disabled: 'webhook_disabled',
} as const satisfies Record<EndpointStatus, MailKind>

/** The mail to the tenant's owners about the new status. */
export function statusMail(ctx: Context, next: Endpoint): Mail {
  const isPaused = next.disabled_reason === 'access_ended'
  const facts = { ...mailFacts(next), ...(isPaused && { address: auditable(next).url, events: eventsOf(next) }) }
  return newMail(ctx, isPaused ? 'webhook_paused' : MAIL_OF[next.status], { roles: ['owner'] }, facts)
}

const eventsOf = ({ events }: Endpoint) => (events.includes('*') ? 'all' : `${events.length}: ${events.join(', ')}`)

const mailFacts = ({ id, name, url, mode, disabled_reason, disable_at }: Endpoint) => ({
  endpoint_id: id,
  name,
  host: new URL(url).host,
  mode,
  ...(disabled_reason && { reason: disabled_reason }),
  ...(disable_at && { disable_at }),
})

const EVENT_OF = {
  active: 'webhook.endpoint.recovered',
  error: 'webhook.endpoint.error',
  disabled: 'webhook.endpoint.disabled',
} as const satisfies Record<EndpointStatus, string>

export function statusEvent(was: Stored<Endpoint>, next: Endpoint, last?: Delivery['last']): EventDraft {
  return {
    type: EVENT_OF[next.status],
    subject: { id: next.id, version: was._v + 1 },
    data: {
      endpoint_id: next.id,
      name: next.name,
      url_host: new URL(next.url).host,
      status: next.status,
      consecutive_failed: next.consecutive_failed,
      error_since: next.error_since ?? null,
      last_status_code: last?.status_code ?? null,
      last_error_class: last?.error_class ?? null,
      reason:
        next.status === 'disabled' ? (next.disabled_reason ?? null) : next.status === 'error' ? 'unhealthy' : null,
    },
  }
}

/** The fields of an endpoint in the audit log. Header values are sealed, so only their names appear. */
export const AUDITED = ['name', 'url', 'events', 'status', 'description', 'metadata', 'filter', 'header_names'] as const

/** The endpoint with its URL cut before the query, which may hold a token of the receiver. */
export const auditable = ({ url, ...endpoint }: Endpoint) => {
  const { origin, pathname, search } = new URL(url)
  return { ...endpoint, url: `${origin}${pathname}${search && '?***'}` }
}
