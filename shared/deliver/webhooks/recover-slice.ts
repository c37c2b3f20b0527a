import type { Context } from '../../base/context.ts'
import { eventAt } from '../../ledger/events/log.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import type { Write } from '../../base/table/entity.ts'
import { type Delivery, deliveries } from './delivery.ts'
import { newDelivery, recoveredId } from './delivery-rules.ts'
import { endpoints } from './endpoint.ts'
import { type EventOutcome, outcomesOf, isLost } from './event-outcome.ts'
import { inGroups } from '../../base/lib/in-parallel.ts'
import { enqueueDeliveries, type QueuedRecovery } from './queue.ts'

const READS_AT_ONCE = 10
/** Each takes two writes of a transaction. */
const COMMIT_EVENTS = 45

/** Makes and enqueues deliveries for events that are still lost. Safe to repeat: the same job makes the same deliveries. */
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
