// Makes the first attempt of a delivery. One worker at a time holds it. A worker that finds it already made does nothing, or
// starts the retries when they were never started.
import type { Context } from '../../base/context.ts'
import type { Envelope } from '../../ledger/events/event.ts'
import { eventAt } from '../../ledger/events/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { startRetries } from './start-retries.ts'
import { type Delivery, deliveries, type FailureReason } from './delivery.ts'
import { failed, firstAttempts, retrying } from './delivery-rules.ts'
import { type Endpoint, endpoints } from './endpoint.ts'
import { isAnswered, postOnce } from './post-once.ts'
import { post } from './post.ts'

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

/** Brings a delivery from `pending` to its next state, and starts its retries when it needs any. */
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
export async function deliveryInputs(ctx: Context, delivery: Delivery) {
  const [endpoint, event] = await Promise.all([
    ctx.table.get(endpoints, { ...ctx.space, id: delivery.endpoint_id }),
    eventAt(ctx, delivery.event_position),
  ])
  if (!endpoint) return 'endpoint_deleted'
  if (endpoint.status === 'disabled') return 'endpoint_disabled'
  return event ? { endpoint, event } : 'event_expired'
}

/** Ends an unfinished delivery without another attempt. */
export async function giveUp(ctx: Context, delivery: Stored<Delivery>, reason: FailureReason): Promise<void> {
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
