// Handles the messages of the fan-out queue: an event from the bus, of which it makes the deliveries; deliveries that wait for their
// first attempt; or a recovery. Endpoints are read again for each batch, so a new endpoint gets the next event.
import { type Context, systemContext } from '../../base/context.ts'
import type { Envelope } from '../../ledger/events/event.ts'
import { inGroups, inParallel } from '../../base/lib/in-parallel.ts'
import type { Stored } from '../../base/table/entity.ts'
import { retryChange } from '../../base/kernel/retry.ts'
import { deliverFirst, deliverQueued } from './deliver.ts'
import { deliveries, type Delivery } from './delivery.ts'
import { firstAttempts, newDelivery } from './delivery-rules.ts'
import { type Endpoint, endpoints, endpointsKey, isSubscribed } from './endpoints/endpoint.ts'
import { enqueueDeliveries, type FanOutMessage, SLICE } from './queue.ts'
import { recoverSlice } from './recover.ts'

export type EndpointsOf = (ctx: Context) => Promise<Stored<Endpoint>[]>

/** Reads the endpoints of each tenant and mode once, for all events of a batch. */
export function endpointsReader(): EndpointsOf {
  const reads = new Map<string, ReturnType<EndpointsOf>>()
  return ({ table, space }) => {
    const pk = endpointsKey(space)
    const read = reads.get(pk) ?? table.query(endpoints, { pk })
    reads.set(pk, read)
    return read
  }
}

const TRIES = 8
/** The most deliveries in one transaction. */
const OPENED_MAX = 90

/**
 * Makes one delivery for each subscribed endpoint. Up to ten are attempted at once; more go through the queue in slices,
 * so that a slow receiver delays nobody. Safe to repeat.
 */
export async function fanOut(
  ctx: Context,
  event: Envelope,
  position: number,
  endpointsOf = endpointsReader(),
): Promise<void> {
  const all = await endpointsOf(ctx)
  const matched = all.filter((endpoint) => isSubscribed(endpoint, event))
  if (matched.length === 0) return
  const atOnce = matched.length <= SLICE
  const now = ctx.now()
  const wanted = matched.map(({ id }) => {
    const delivery = newDelivery(ctx.space, { event, position, endpoint_id: id }, now)
    return atOnce ? { ...delivery, ...firstAttempts.until(now) } : delivery
  })
  const opened = await open(ctx, wanted)
  if (atOnce) await attemptAll(ctx, matched, event, opened)
  else await enqueueDeliveries(ctx.space, opened.filter(isOpen).map(idOf))
}

async function attemptAll(ctx: Context, matched: Stored<Endpoint>[], event: Envelope, opened: Opened[]): Promise<void> {
  const endpointOf = new Map(matched.map((endpoint) => [endpoint.id, endpoint]))
  const ends = await Promise.allSettled(
    opened.map(async ({ delivery, mine }) => {
      const endpoint = endpointOf.get(delivery.endpoint_id)
      if (endpoint) await deliverFirst(ctx, { delivery, endpoint, event, mine })
    }),
  )
  const refused = ends.find((end) => end.status === 'rejected')
  if (refused) throw refused.reason
}

type Opened = { delivery: Stored<Delivery>; mine: boolean }

const idOf = ({ delivery }: Opened) => delivery.id
const isOpen = ({ delivery }: Opened) => delivery.completed_at === undefined

/** Writes the deliveries that do not exist yet, and marks them as `mine`. */
async function open(ctx: Context, wanted: Delivery[]): Promise<Opened[]> {
  return (await inParallel(4, inGroups(wanted, OPENED_MAX), (slice) => openSlice(ctx, slice))).flat()
}

const openSlice = (ctx: Context, wanted: Delivery[]): Promise<Opened[]> =>
  retryChange(TRIES, async (attempt) => {
    const known = attempt === 1 ? [] : await ctx.table.getAll(deliveries, wanted)
    const ids = new Set(known.map(({ id }) => id))
    const fresh = wanted.filter(({ id }) => !ids.has(id))
    if (fresh.length > 0) await ctx.table.commit(fresh.map((delivery) => deliveries.insert(delivery)))
    return [
      ...known.map((delivery) => ({ delivery, mine: false })),
      ...fresh.map((delivery) => ({ delivery: { ...delivery, _v: 1 }, mine: true })),
    ]
  })

/** Throws when the message has to come back. */
export async function handleMessage(message: FanOutMessage, endpointsOf = endpointsReader()): Promise<void> {
  if ('detail' in message) {
    const { _mode: mode, _position: position, ...event } = message.detail
    const ctx = systemContext({ tenant_id: event.tenant_id, mode })
    return fanOut(ctx, event as unknown as Envelope, position, endpointsOf) // the relay published it
  }
  if ('recover_id' in message) return recoverSlice(systemContext(message), message)
  const { delivery_ids, ...space } = message
  const ctx = systemContext(space)
  const ends = await Promise.allSettled(delivery_ids.map((id) => deliverQueued(ctx, id)))
  const refused = ends.find((end) => end.status === 'rejected')
  if (refused) throw refused.reason
}
