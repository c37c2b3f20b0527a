// How a delivery moves, without any input or output: each rule takes a delivery and answers with its successor.
import type { Space } from '../../base/context.ts'
import { digest, type Envelope } from '../../ledger/events/event.ts'
import { iso } from '../../base/lib/clock.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { type Attempt, type Delivery, DELIVERY_STATES, type FailureReason } from './delivery.ts'
import { retryAfterSeconds } from './retry-after.ts'
import { MAX_RETRIES, rowSeconds } from './schedule.ts'

/** How long a first attempt may keep a delivery to itself; longer than the worker that makes it can live. */
const LEASE_MS = 35_000

/** So long after it should have moved, the sweeper looks at a delivery. */
const OVERDUE_MS = 15 * 60_000

/** An attempt begun so often without an end is recorded as a crash of ours. */
export const CLAIMS_MAX = 3

const after = (now: number, ms: number) => iso(now + ms)

/** The same event and endpoint always make the same delivery, so a message that comes twice makes one. */
export const deliveryId = (eventId: string, endpointId: string): string => `dlv_${digest(`${eventId}\n${endpointId}`)}`

/** The delivery that a recovery makes after another one failed; a job that runs twice makes it once. */
export const recoveredId = (recoverId: string, eventId: string): string => `dlv_${digest(`${recoverId}\n${eventId}`)}`

/** Asked for by somebody: it goes on while its endpoint is in `error`, and says nothing of the endpoint's health. */
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

/** Taken by one worker for the first attempt. */
export const leased = (delivery: Delivery, now: number): Delivery => ({
  ...delivery,
  lease_until: after(now, LEASE_MS),
})

/** When a worker last had it in hand. */
export function movedAt({ created_at, lease_until, last }: Delivery): string {
  const taken = lease_until === undefined ? created_at : iso(Date.parse(lease_until) - LEASE_MS)
  return last !== undefined && last.at > taken ? last.at : taken
}

/** Taken by one execution for the next attempt. */
export function claimed(delivery: Delivery, exec: string): Delivery & Required<Pick<Delivery, 'claimed'>> {
  const n = delivery.attempt + 1
  const times = delivery.claimed?.n === n ? delivery.claimed.times + 1 : 1
  return { ...delivery, exec, claimed: { n, times } }
}

/** Free to be taken by another execution, which is announced at the same time. */
export const released = (delivery: Delivery, now: number): Delivery => ({
  ...delivery,
  exec: undefined,
  due_at: after(now, (rowSeconds(delivery.attempt) ?? 0) * 1_000 + OVERDUE_MS),
})

/** What only a delivery that still waits for something has. */
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

/** The delivery with an attempt's result in it, not yet moved. */
export const attempted = (delivery: Delivery, attempt: Attempt): Delivery => ({
  ...delivery,
  attempt: attempt.n,
  last: resultOf(attempt),
})

/** Seconds between the last attempt and the next: the schedule's, or more where the receiver asked for it. */
export const waitSeconds = ({ attempt, retry_after = 0 }: Pick<Delivery, 'attempt' | 'retry_after'>): number =>
  Math.max(rowSeconds(attempt) ?? 0, retry_after)

/** Waits for its next attempt: as long as the schedule says, or longer where the receiver's Retry-After asked for it. */
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
