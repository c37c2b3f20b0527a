import type { Context } from '../../base/context.ts'
import { newArtifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { eventAt } from '../../ledger/events/log.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { warn } from '../../base/lib/log.ts'
import type { Write } from '../../base/table/entity.ts'
import { type Delivery, deliveries } from './delivery.ts'
import { deliveryId, newDelivery } from './delivery-rules.ts'
import { findEnabled } from './find-endpoint.ts'
import { lastOf } from './lost.ts'
import { enqueueDeliveries } from './queue.ts'

/**
 * Delivers an event once more, as a new delivery with a schedule of its own. Whether the endpoint subscribes to the type
 * plays no part, and the first delivery may still be under way.
 */
export async function replayDelivery(ctx: Context, input: { delivery_id: string; endpoint_id?: string | undefined }) {
  const original = await ctx.table.get(deliveries, { ...ctx.space, id: input.delivery_id })
  if (!original) throw notFound('delivery')
  const endpoint = await findEnabled(ctx, input.endpoint_id ?? original.endpoint_id)
  if (original.event !== undefined) throw conflict('a test delivery is not replayed; send another one')
  const event = await eventAt(ctx, original.event_position)
  if (!event) throw conflict('the event is no longer retained')
  const fresh = newDelivery(
    ctx.space,
    { event, position: original.event_position, endpoint_id: endpoint.id },
    ctx.now(),
  )
  const delivery: Delivery = { ...fresh, id: ctx.id('dlv'), replay_of: original.id }
  const [artifact] = newArtifacts(ctx, {
    type: 'webhook.replayed',
    subject: { type: 'webhook_delivery', id: delivery.id },
    data: { replay_of: original.id, endpoint_id: endpoint.id, event_id: event.id },
  })
  const writes = [deliveries.insert(delivery), ...(await linked(ctx, original, delivery))]
  await ctx.table.commit([...writes, ...recorded(ctx, [{ artifact }])], delivery.id)
  // Committed: should the queue fail now, the sweeper finds the delivery.
  await enqueueDeliveries(ctx.space, [delivery.id]).catch((error: unknown) => warn('replay.not_queued', error))
  return delivery
}

/**
 * Names the replay at the end of the chain that leads from the endpoint's own delivery of the event, so that a recovery,
 * which follows that chain, meets it. A delivery that is still under way belongs to the worker that moves it.
 */
async function linked(ctx: Context, original: Delivery, { id, event_id, endpoint_id }: Delivery): Promise<Write[]> {
  const first = original.endpoint_id === endpoint_id ? original.id : deliveryId(event_id, endpoint_id)
  const last = (await lastOf(ctx, [first])).get(first)
  return last?.completed_at ? [deliveries.update(last, { set: { replayed_as: id } })] : []
}
