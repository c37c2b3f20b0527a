// When an endpoint counts as failing, and how it recovers. A healthy endpoint is never written: only a counter above zero
// or a status other than active makes a success worth storing.
import type { Context } from '../context.ts'
import type { EventDraft } from '../events/event.ts'
import { newArtifacts } from '../evidence/artifact.ts'
import { recorded } from '../evidence/record.ts'
import { iso } from '../lib/clock.ts'
import { mustGo } from '../lib/states.ts'
import type { Stored, Write } from '../table/entity.ts'
import type { Delivery } from './delivery.ts'
import { type Endpoint, ENDPOINT_STATES, endpoints, type EndpointStatus, ERROR_MS_MAX } from './endpoint.ts'

/** Exhausted deliveries in a row that put an endpoint into `error`. */
export const FAILURES_MAX = 5

type DisabledReason = NonNullable<Endpoint['disabled_reason']>

/** A rule of this file: what an endpoint becomes, or the same endpoint when nothing changes. */
export type HealthRule = (endpoint: Endpoint, now: number) => Endpoint

/** After any 2xx. */
export function succeeded(endpoint: Endpoint): Endpoint {
  if (endpoint.consecutive_failed === 0 && endpoint.status !== 'error') return endpoint
  const status = endpoint.status === 'error' ? 'active' : endpoint.status
  return { ...endpoint, status, consecutive_failed: 0, error_since: undefined }
}

/** After a delivery whose retries are used up. */
export function exhausted(endpoint: Endpoint, now: number): Endpoint {
  const consecutive_failed = endpoint.consecutive_failed + 1
  const failing = endpoint.status === 'active' && consecutive_failed >= FAILURES_MAX
  return { ...endpoint, consecutive_failed, ...(failing && { status: 'error' as const, error_since: iso(now) }) }
}

/** While it is in `error`: after the only attempt that it gets for each event, and when its days are over. */
export function stillFailing(endpoint: Endpoint, now: number): Endpoint {
  const since = Date.parse(endpoint.error_since ?? iso(now))
  return now - since < ERROR_MS_MAX ? endpoint : disabled(endpoint, 'unhealthy')
}

export function disabled(endpoint: Endpoint, disabled_reason: DisabledReason): Endpoint {
  return endpoint.status === 'disabled' ? endpoint : { ...endpoint, status: 'disabled', disabled_reason }
}

/** By its owner's hand; clears what is held against it. */
export const enabled = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  status: 'active',
  consecutive_failed: 0,
  error_since: undefined,
  disabled_reason: undefined,
})

/** Stores the endpoint's successor; a change of status also leaves an artifact and an event. None when nothing changed. */
export function healthWrites(ctx: Context, was: Stored<Endpoint>, next: Endpoint, last?: Delivery['last']): Write[] {
  if (next === was) return []
  const write = endpoints.replace(next, was)
  if (next.status === was.status) return [write]
  mustGo(ENDPOINT_STATES, was.status, next.status)
  const [artifact] = newArtifacts(ctx, {
    type: 'webhook.endpoint.status_changed',
    subject: { type: 'webhook_endpoint', id: was.id },
    data: { from: was.status, to: next.status, ...(next.disabled_reason && { reason: next.disabled_reason }) },
  })
  return [write, ...recorded(ctx, [{ artifact, events: [statusEvent(was, next, last)] }])]
}

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
