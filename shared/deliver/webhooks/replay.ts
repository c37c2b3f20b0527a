import type { Context } from '../../base/context.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { eventAt } from '../../ledger/events/log.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { warn } from '../../base/lib/log.ts'
import type { Write } from '../../base/table/entity.ts'
import { type Delivery, deliveries } from './delivery.ts'
import { deliveryId, newDelivery } from './delivery-rules.ts'
import { findEnabled } from './find-endpoint.ts'
import { lastOf } from './event-outcome.ts'
import { enqueueDeliveries } from './queue.ts'

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
  await ctx.table.commit([...writes, ...recorded(ctx, [{ artifact }])], delivery.id)
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
