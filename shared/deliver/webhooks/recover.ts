// Delivers events again: all that an endpoint never received within a window, or one delivery alone.
//
// A recovery runs in two steps. The request walks the event log, finds the positions of lost events and puts them on the queue, in
// slices. A worker then reads the outcome of each again, makes the missing deliveries, and queues those. Which events are lost is
// decided anew by the worker, so an event that was delivered meanwhile is left out. The id of a delivery follows from the
// recovery and the event: a slice that comes twice, or whose worker dies between the commit and the queue, makes no second
// delivery, and the repeat queues those that still wait for their first attempt. A failed delivery is never started again; its
// successor is a new one, linked by `replayed_as`, and the chain of links is what the next recovery follows.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { eventAt, RETENTION_DAYS } from '../../ledger/events/log.ts'
import { conflict, invalid, notFound, unavailable } from '../../base/lib/failure.ts'
import { type Endpoint, endpoints, findEnabled, isSubscribed } from './endpoints/endpoint.ts'
import { type EventOutcome, isLost, lastOf, outcomesOf, walkLog, type Window } from './event-outcome.ts'
import { enqueueDeliveries, enqueueRecovery, type QueuedRecovery } from './queue.ts'
import { inGroups, inParallel } from '../../base/lib/in-parallel.ts'
import type { Write } from '../../base/table/entity.ts'
import { deliveries, type Delivery } from './delivery.ts'
import { deliveryId, newDelivery, recoveredId } from './delivery-rules.ts'
import { warn } from '../../base/lib/log.ts'

const WINDOW_DAYS_MAX = 14
/** The most events that one request recovers. */
export const MATCHED_MAX = 10_000
/** The most events that one request reads in its time. */
const WALKED_MAX = 100_000

/** `since` and `until` (by default now) are ISO times, both included. */
export type Recovery = {
  id: string
  since: string
  until?: string | undefined
  types?: readonly string[] | undefined
  dry_run?: boolean | undefined
}

/**
 * Delivers the events that an endpoint never received, by its present subscription, even those from before its registration.
 * A dry run only counts them. Throws 404 and 409 for an endpoint that is missing or disabled, 422 for a window that is too long
 * or holds too many events. Which events are lost is read from the deliveries, never taken from the caller. A repeat, or a
 * second caller, recovers only events that are still lost.
 */
export async function recoverDeliveries(
  ctx: Context,
  input: Recovery,
): Promise<{ matched: number; recover_id?: string }> {
  const endpoint = await findEnabled(ctx, input.id)
  const window = windowOf(input, ctx.now())
  const positions = await lostPositions(ctx, endpoint, window, input.types)
  const matched = positions.length
  if (input.dry_run) return { matched }
  const recover_id = ctx.id('rcv')
  const artifact = newArtifact(ctx, {
    type: 'webhook.replayed',
    subject: { type: 'webhook_endpoint', id: endpoint.id },
    data: { recover_id, since: iso(window.since), until: iso(window.until), matched },
  })
  await ctx.table.commit(commitWith(ctx, [{ artifact }]))
  await enqueueRecovery(ctx.space, { recover_id, endpoint_id: endpoint.id, positions }).catch((error: unknown) => {
    throw unavailable('The queue does not answer. Repeat the request to recover the rest.', error)
  })
  // The Idempotency-Key is stored only now, so that a caller can repeat a request that the queue has failed.
  if (ctx.table.joining) await ctx.table.commit([], recover_id)
  return { recover_id, matched }
}

/** The window begins no earlier than the oldest retained event. */
function windowOf({ since, until }: Recovery, now: number): Window {
  const from = Date.parse(since)
  const to = until === undefined ? now : Date.parse(until)
  if (from > to) throw invalid(['since'], 'must not be later than until')
  if (to - from > WINDOW_DAYS_MAX * DAY_MS)
    throw invalid(['since'], `must be at most ${WINDOW_DAYS_MAX} days before until`)
  return { since: Math.max(from, now - RETENTION_DAYS * DAY_MS), until: to }
}

async function lostPositions(ctx: Context, endpoint: Endpoint, window: Window, types: Recovery['types']) {
  const wanted = (type: string) => types === undefined || types.includes(type) || types.includes('*')
  const positions: number[] = []
  let walked = 0
  for await (const page of walkLog(ctx, window)) {
    walked += page.length
    if (walked > WALKED_MAX) throw invalid(['since'], `covers more than ${WALKED_MAX} events; choose a shorter window`)
    const subscribed = page.filter(({ event }) => wanted(event.type) && isSubscribed(endpoint, event))
    const outcomes = await outcomesOf(ctx, endpoint.id, subscribed)
    positions.push(...outcomes.filter(isLost).map(({ position }) => position))
  }
  if (positions.length > MATCHED_MAX) {
    throw invalid(
      ['since'],
      `covers ${positions.length} matching events, and at most ${MATCHED_MAX} are recovered at once; choose a shorter window`,
    )
  }
  return positions
}

const READS_AT_ONCE = 10
/** Each takes two writes of a transaction. */
const COMMIT_EVENTS = 45

/** Makes and queues deliveries for events that are still lost. Safe to repeat: the same recovery makes the same deliveries. */
export async function recoverSlice(
  ctx: Context,
  { endpoint_id, recover_id, positions }: QueuedRecovery,
): Promise<void> {
  const endpoint = await ctx.table.get(endpoints, { ...ctx.space, id: endpoint_id })
  if (!endpoint || endpoint.status === 'disabled') return
  const read = await inParallel(READS_AT_ONCE, positions, async (position) => {
    const event = await eventAt(ctx, position)
    return event ? [{ event, position }] : []
  })
  const outcomes = await outcomesOf(ctx, endpoint_id, read.flat())
  const isMine = ({ delivery }: EventOutcome) => delivery?.recover_id === recover_id
  const lost = outcomes.filter((outcome) => isLost(outcome) && !isMine(outcome))
  const made = lost.map((outcome) => remade(ctx, outcome, { endpoint_id, recover_id }))
  for (const slice of inGroups(made, COMMIT_EVENTS)) await ctx.table.commit(slice.flatMap(({ writes }) => writes))
  // An earlier run may have ended before it enqueued its deliveries.
  const started = outcomes.filter(isMine).flatMap(({ delivery }) => (delivery?.status === 'pending' ? [delivery] : []))
  await enqueueDeliveries(
    ctx.space,
    [...started, ...made].map(({ id }) => id),
  )
}

type Job = Pick<QueuedRecovery, 'endpoint_id' | 'recover_id'>

/** The first delivery of the event when there was none, otherwise a replay of the last one that failed. */
function remade(ctx: Context, { event, position, delivery }: EventOutcome, job: Job): { id: string; writes: Write[] } {
  const { endpoint_id, recover_id } = job
  const fresh: Delivery = { ...newDelivery(ctx.space, { event, position, endpoint_id }, ctx.now()), recover_id }
  if (!delivery) return { id: fresh.id, writes: [deliveries.insert(fresh)] }
  const id = recoveredId(recover_id, event.id)
  return {
    id,
    writes: [
      deliveries.insert({ ...fresh, id, replay_of: delivery.id }),
      deliveries.replace({ ...delivery, replayed_as: id }, delivery),
    ],
  }
}

/**
 * Delivers an event again, as a new delivery with its own retries. The endpoint need not subscribe to the type, and the first
 * delivery may still be running.
 */
export async function replayDelivery(ctx: Context, input: { delivery_id: string; endpoint_id?: string | undefined }) {
  const original = await ctx.table.get(deliveries, { ...ctx.space, id: input.delivery_id })
  if (!original) throw notFound('delivery')
  const endpoint = await findEnabled(ctx, input.endpoint_id ?? original.endpoint_id)
  if (original.event !== undefined) throw conflict('You cannot replay a test delivery. Send another test.')
  const event = await eventAt(ctx, original.event_position)
  if (!event) throw conflict('You cannot replay this delivery, because its event is no longer stored.')
  const fresh = newDelivery(
    ctx.space,
    { event, position: original.event_position, endpoint_id: endpoint.id },
    ctx.now(),
  )
  const delivery: Delivery = { ...fresh, id: ctx.id('dlv'), replay_of: original.id }
  const artifact = newArtifact(ctx, {
    type: 'webhook.replayed',
    subject: { type: 'webhook_delivery', id: delivery.id },
    data: { replay_of: original.id, endpoint_id: endpoint.id, event_id: event.id },
  })
  const writes = [deliveries.insert(delivery), ...(await linked(ctx, original, delivery))]
  await ctx.table.commit([...writes, ...commitWith(ctx, [{ artifact }])], delivery.id)
  // The delivery is committed, so the sweeper finds it when the queue fails.
  await enqueueDeliveries(ctx.space, [delivery.id]).catch((error: unknown) => warn('replay.not_queued', error))
  return delivery
}

/**
 * Links the replay at the end of the chain that starts at the first delivery of the event to the endpoint, because a recovery
 * follows that chain. A running delivery is not linked: it belongs to its worker.
 */
async function linked(ctx: Context, original: Delivery, { id, event_id, endpoint_id }: Delivery): Promise<Write[]> {
  const first = original.endpoint_id === endpoint_id ? original.id : deliveryId(event_id, endpoint_id)
  const last = (await lastOf(ctx, [first])).get(first)
  return last?.completed_at ? [deliveries.update(last, { set: { replayed_as: id } })] : []
}
