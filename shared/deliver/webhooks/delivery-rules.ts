// Pure rules of a delivery's states: each takes a delivery and returns its next version. Deliveries leave no evidence of their own.
import type { Space } from '../../base/context.ts'
import { digest, type Envelope } from '../../ledger/events/event.ts'
import { iso, within } from '../../base/lib/clock.ts'
import { WEBHOOK_DEADLINE_MS } from '../../base/limits/published.ts'
import { lease } from '../../base/kernel/lease.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import {
  type Attempt,
  type AttemptState,
  deliveries,
  type Delivery,
  DELIVERY_STATES,
  type FailureReason,
} from './delivery.ts'
import { MAX_RETRIES, rowSeconds } from './schedule.ts'

/** Lease of a first attempt. It is longer than the worker can live. */
const LEASE_MS = 35_000

/** The longest time that recording an answer takes when nothing fails. */
const RECORDING_MS = 1_000

/** After this time without the expected change, the sweeper checks a delivery. */
const OVERDUE_MS = 15 * 60_000

/** An attempt that was started this often without a result is recorded as a crash of the service. */
export const CLAIMS_MAX = 3

const after = (now: number, ms: number) => iso(now + ms)

/** The same event and endpoint always make the same delivery, so a message that comes twice makes one. */
export const deliveryId = (eventId: string, endpointId: string): string => `dlv_${digest(`${eventId}\n${endpointId}`)}`

/** Id of the delivery that a recovery makes after a failed one; the same job always makes the same. */
export const recoveredId = (recoverId: string, eventId: string): string => `dlv_${digest(`${recoverId}\n${eventId}`)}`

/** Requested by a person: it continues while its endpoint is in `error`, and does not count for the endpoint's health. */
export const isRepeat = ({ replay_of, recover_id }: Delivery): boolean =>
  replay_of !== undefined || recover_id !== undefined

type New = { event: Pick<Envelope, 'id' | 'type'>; position: number; endpoint_id: string }

export function newDelivery(space: Space, { event, position, endpoint_id }: New, now: number): Delivery {
  return {
    tenant_id: space.tenant_id,
    mode: space.mode,
    id: deliveryId(event.id, endpoint_id),
    event_id: event.id,
    event_type: event.type,
    event_position: position,
    endpoint_id,
    status: 'pending',
    attempt: -1,
    max_attempts: MAX_RETRIES,
    due_at: after(now, OVERDUE_MS),
    created_at: iso(now),
  }
}

/** The lease under which one worker makes the first attempt. */
export const firstAttempts = /* @__PURE__ */ lease(deliveries, LEASE_MS, {
  of: ({ lease_until }) => lease_until,
  until: (end) => ({ lease_until: iso(end) }),
})

/** When a worker last worked on it. */
export function movedAt({ created_at, lease_until, last }: Delivery): string {
  const taken = lease_until === undefined ? created_at : iso(Date.parse(lease_until) - LEASE_MS)
  return last !== undefined && last.at > taken ? last.at : taken
}

/** When the attempt started that is not recorded yet; undefined while none runs. */
function startedAt({ status, attempt, lease_until, claimed: claim }: Delivery): number | undefined {
  if (status === 'pending' && lease_until !== undefined) return Date.parse(lease_until) - LEASE_MS
  if (status === 'retrying' && claim?.n === attempt + 1 && claim.at !== undefined) return Date.parse(claim.at)
  return undefined
}

/** A receiver has five seconds, so an attempt that began longer ago was sent and could not be recorded. */
export function attemptState(delivery: Delivery, now: number): AttemptState | undefined {
  const started = startedAt(delivery)
  if (started === undefined) return undefined
  return within(WEBHOOK_DEADLINE_MS + RECORDING_MS, started, now) ? 'sending' : 'sent_not_recorded'
}

/** Taken by one execution for the next attempt. */
export function claimed(delivery: Delivery, exec: string, now: number): Delivery & Required<Pick<Delivery, 'claimed'>> {
  const n = delivery.attempt + 1
  const times = delivery.claimed?.n === n ? delivery.claimed.times + 1 : 1
  return { ...delivery, exec, claimed: { n, times, at: iso(now) } }
}

/** Free for another execution, which is started at the same time. */
export const released = (delivery: Delivery, now: number): Delivery => ({
  ...delivery,
  exec: undefined,
  due_at: after(now, (rowSeconds(delivery.attempt) ?? 0) * 1_000 + OVERDUE_MS),
})

/** Clears the members that only an unfinished delivery has. */
const waiting = { lease_until: undefined, next_attempt_at: undefined, retry_after: undefined, due_at: undefined }

export function ended(delivery: Delivery, status: 'delivered' | 'failed', now: number): Delivery {
  mustAllowMove(DELIVERY_STATES, delivery.status, status)
  return { ...delivery, ...waiting, status, completed_at: iso(now) }
}

export const failed = (delivery: Delivery, failure_reason: FailureReason, now: number): Delivery => ({
  ...ended(delivery, 'failed', now),
  failure_reason,
})

const resultOf = ({ at, status_code, error_class, latency_ms }: Attempt) => ({
  at,
  status_code,
  error_class,
  latency_ms,
})

/** The delivery with the result of an attempt, still in its old status. */
export const attempted = (delivery: Delivery, attempt: Attempt): Delivery => ({
  ...delivery,
  attempt: attempt.n,
  last: resultOf(attempt),
})

/** Seconds between the last attempt and the next: those of the schedule, or more when the receiver asked for more. */
export const waitSeconds = ({ attempt, retry_after = 0 }: Pick<Delivery, 'attempt' | 'retry_after'>): number =>
  Math.max(rowSeconds(attempt) ?? 0, retry_after)

/** The delivery waiting for its next attempt, as long as the schedule says or the receiver's Retry-After asks. */
export function retrying(delivery: Delivery, retryAfter: string | undefined, now: number): Delivery {
  mustAllowMove(DELIVERY_STATES, delivery.status, 'retrying')
  const row = rowSeconds(delivery.attempt)
  if (row === undefined) return { ...delivery, ...waiting, status: 'retrying', due_at: after(now, OVERDUE_MS) }
  const retry_after = retryAfterSeconds(retryAfter, now, row)
  const wait = waitSeconds({ ...delivery, retry_after }) * 1_000
  return {
    ...delivery,
    ...waiting,
    status: 'retrying',
    retry_after,
    next_attempt_at: after(now, wait),
    due_at: after(now, wait + OVERDUE_MS),
  }
}

const HTTP_DATE = /^(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?,? .*\d/

/**
 * Whole seconds that a Retry-After header (RFC 9110 §10.2.3: seconds or an HTTP date) asks to wait from `now` (ms), at
 * most twice the schedule's own wait of `scheduledSeconds`; 0 when it is absent or cannot be read.
 */
export function retryAfterSeconds(header: string | undefined, now: number, scheduledSeconds: number): number {
  const seconds = /^\d+$/.test(header ?? '') ? Number(header) : Math.ceil((dateOf(header ?? '') - now) / 1_000)
  return seconds > 0 ? Math.min(seconds, 2 * scheduledSeconds) : 0
}

/** The three forms of an HTTP date are all in GMT; the oldest does not say so. NaN for anything else. */
function dateOf(text: string): number {
  if (!HTTP_DATE.test(text)) return Number.NaN
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
}
