// The attempts of a delivery: the first by the worker of the queue, the retries by a state machine.
//
// The order is the same for both: claim, POST, record. The claim before the POST gives an attempt one worker at a time. The record
// comes after it, since an attempt that was recorded first and never sent would be lost. So each death leaves this behind:
// - before the POST: a claim whose lease ends; the message, or the machine, comes again and makes the attempt.
// - between POST and record: the attempt is made again with the same event id, by which receivers remove duplicates. The same
//   container still knows the answer and only records it (post.ts). The third claim of one retry records it as `worker_crash`, so
//   that the schedule goes on.
// - after the record, before the machine was started: the delivery is `retrying` without an execution; the message comes again
//   and starts it, or the sweeper does.
// A second worker meets the lease and lets its message come back when the lease has ended. A second execution of the machine stops
// when it reads the id of the first.
import { type Context, currentRuntime } from '../../base/context.ts'
import type { Envelope } from '../../ledger/events/event.ts'
import { eventAt } from '../../ledger/events/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { deliveries, type Delivery, type DeliveryRef, type FailureReason } from './delivery.ts'
import { claimed, CLAIMS_MAX, failed, firstAttempts, retrying, waitSeconds } from './delivery-rules.ts'
import { type Endpoint, endpoints } from './endpoints/endpoint.ts'
import { isAnswered, post, type Posted, postOnce, type ToPost } from './post.ts'
import type { Received } from '../../base/kernel/queue.ts'
import { iso } from '../../base/lib/clock.ts'
import { retryChange } from '../../base/kernel/retry.ts'
import { MAX_RETRIES } from './schedule.ts'
import { publish } from '../../ledger/events/publish.ts'

/** Another worker is making this attempt. The message must come back when its lease ends, in case that worker dies. */
export class Busy extends Error {
  /** ISO. */
  readonly until: string

  constructor(until: string) {
    super('another worker is making the first attempt')
    this.until = until
  }
}

/** `mine`: this worker has just created the delivery and holds its lease. */
export type First = { delivery: Stored<Delivery>; endpoint: Stored<Endpoint>; event: Envelope; mine: boolean }

/**
 * Brings a delivery from `pending` to its next state, and starts its retries when it needs any. Does nothing for one that has
 * left `pending`, except that it starts retries that were never started. Throws `Busy` while another worker makes the attempt.
 */
export async function deliverFirst(ctx: Context, { delivery, endpoint, event, mine }: First): Promise<void> {
  const { status, lease_until, attempt, exec } = delivery
  if (status === 'retrying' && attempt === 0 && exec === undefined) return startRetries(delivery)
  if (status !== 'pending') return
  const held = mine || isAnswered(delivery)
  if (!held && lease_until !== undefined && firstAttempts.isHeld(delivery, ctx.now())) throw new Busy(lease_until)
  const taken = held ? delivery : await firstAttempts.renew(ctx, delivery)
  const stored = firstIsImmediate()
    ? await attemptNow(ctx, { delivery: taken, endpoint, event })
    : await skip(ctx, taken)
  if (stored.status === 'retrying') await startRetries(stored)
}

/** Reads endpoint and event of a queued delivery and makes its first attempt. */
export async function deliverQueued(ctx: Context, id: string): Promise<void> {
  const delivery = await ctx.table.get(deliveries, { ...ctx.space, id })
  if (!delivery) return
  const found = await deliveryInputs(ctx, delivery)
  if (typeof found === 'string') return giveUp(ctx, delivery, found)
  return deliverFirst(ctx, { delivery, ...found, mine: false })
}

/** Endpoint and event of a delivery, or the reason why it can no longer be made. */
async function deliveryInputs(ctx: Context, delivery: Delivery) {
  const [endpoint, event] = await Promise.all([
    ctx.table.get(endpoints, { ...ctx.space, id: delivery.endpoint_id }),
    eventAt(ctx, delivery.event_position),
  ])
  if (!endpoint) return 'endpoint_deleted'
  if (endpoint.status === 'disabled') return 'endpoint_disabled'
  return event ? { endpoint, event } : 'event_expired'
}

/** Ends an unfinished delivery without another attempt. */
async function giveUp(ctx: Context, delivery: Stored<Delivery>, reason: FailureReason): Promise<void> {
  if (delivery.status === 'delivered' || delivery.status === 'failed') return
  await ctx.table.commit([deliveries.replace(failed(delivery, reason, ctx.now()), delivery)])
}

const attemptNow = (ctx: Context, { delivery, endpoint, event }: Omit<First, 'mine'>): Promise<Stored<Delivery>> =>
  postOnce(ctx, { was: delivery, endpoint }, () => post(ctx, { endpoint, delivery, event, n: 0 }))

/** With `scheduled`, the first attempt waits for the first interval of the schedule, which makes seven attempts in all. */
const firstIsImmediate = () => process.env.WEBHOOK_FIRST_ATTEMPT !== 'scheduled'

async function skip(ctx: Context, delivery: Stored<Delivery>): Promise<Stored<Delivery>> {
  const next = retrying({ ...delivery, attempt: 0, first_attempt: 1 }, undefined, ctx.now())
  await ctx.table.commit([deliveries.replace(next, delivery)])
  return { ...next, _v: delivery._v + 1 }
}

/** Seconds until a failed message of the fan-out queue comes back, after each failure. */
const PAUSES = [2, 10, 30, 60, 120]
const LAST_PAUSE = 180

/** A message whose delivery another worker holds comes back when that worker can no longer be alive. */
export function pauseSeconds({ receives }: Received, error: unknown): number {
  if (error instanceof Busy) return secondsUntil(error.until)
  return PAUSES[receives - 1] ?? LAST_PAUSE
}

const secondsUntil = (at: string) => Math.max(1, Math.ceil((Date.parse(at) - currentRuntime().clock.now()) / 1_000))

/** `stopped`: the machine has nothing more to do. `wait_seconds`: until the next attempt. */
export type RetryResult = { outcome: 'delivered' | 'failed' | 'stopped'; attempt: number; wait_seconds: number }

/** `last`: the attempt after which the state machine has waited. */
export type Retry = { delivery_id: string; execution_id: string; last?: number | undefined }

const TRIES = 5

/** Makes one retry for the state machine. When another execution changes the delivery meanwhile, it looks at the new state. */
export const retryDelivery = (ctx: Context, input: Retry): Promise<RetryResult> =>
  retryChange(TRIES, () => retryOnce(ctx, input))

async function retryOnce(ctx: Context, { delivery_id, execution_id, last }: Retry): Promise<RetryResult> {
  const delivery = await ctx.table.get(deliveries, { ...ctx.space, id: delivery_id })
  if (!delivery) return { outcome: 'stopped', attempt: MAX_RETRIES, wait_seconds: 0 }
  const { status, exec, attempt } = delivery
  if (status === 'delivered' || status === 'failed') return resultOf(delivery)
  if (exec !== undefined && exec !== execution_id) return { ...resultOf(delivery), outcome: 'stopped' }
  // This execution has already made the attempt and lost the answer, or it was the last one, after which `failDelivery` ends it.
  if ((last !== undefined && attempt > last) || attempt >= MAX_RETRIES) return resultOf(delivery)
  const found = await deliveryInputs(ctx, delivery)
  if (typeof found === 'string') {
    await giveUp(ctx, delivery, found)
    return { ...resultOf(delivery), outcome: 'stopped' }
  }
  const { held, times } = await claim(ctx, delivery, execution_id)
  const toPost: ToPost = { ...found, delivery: held, n: attempt + 1 }
  const send = async () => (times < CLAIMS_MAX ? post(ctx, toPost) : crashed(ctx, toPost))
  return resultOf(await postOnce(ctx, { was: held, endpoint: found.endpoint }, send))
}

/** The state of a delivery for the state machine. */
function resultOf(delivery: Delivery): RetryResult {
  const { status, attempt } = delivery
  const outcome = status === 'delivered' ? 'delivered' : status === 'failed' ? 'stopped' : 'failed'
  return { outcome, attempt, wait_seconds: waitSeconds(delivery) }
}

async function claim(ctx: Context, delivery: Stored<Delivery>, execution: string) {
  const next = claimed(delivery, execution, ctx.now())
  await ctx.table.commit([deliveries.replace(next, delivery)])
  return { held: { ...next, _v: delivery._v + 1 }, times: next.claimed.times }
}

/** Records an attempt that was started too often without a result as a crash of the service, so that the schedule continues. */
function crashed(ctx: Context, { delivery: { tenant_id, mode, id }, n }: ToPost): Posted {
  const at = iso(ctx.now())
  const attempt = { tenant_id, mode, delivery_id: id, n, at, error_class: 'worker_crash', latency_ms: 0 }
  return { attempt, delivered: false }
}

/** Starts one execution, which continues after the last attempt. Throws when the event bus refuses the event. */
export async function startRetries(delivery: Delivery): Promise<void> {
  const { tenant_id, mode, id: delivery_id, endpoint_id, attempt } = delivery
  const ref: DeliveryRef = { tenant_id, mode, delivery_id, endpoint_id }
  const detail = { delivery: ref, state: { outcome: 'failed', attempt, wait_seconds: waitSeconds(delivery) } }
  const refused = await publish([{ source: 'countersign.internal', type: 'webhook.delivery.retry', detail }])
  if (refused.length > 0) throw new Error('the event bus refused the start of the retries of a delivery')
}
