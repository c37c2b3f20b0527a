// The fan-out queue: events that the bus puts into it, deliveries for their first attempt, ten in a message, and lost events that
// an endpoint should still receive.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { queue, sendMany } from '../../base/kernel/queue.ts'
import { inGroups } from '../../base/lib/in-parallel.ts'
import { MODES, spaceMembers } from '../../base/table/members.ts'

/** Deliveries in one message, and deliveries of one event that are attempted at once. */
export const SLICE = 10
/** Events that one message recovers. */
export const RECOVERY_SLICE = 500

export const QueuedDeliveries = z.strictObject({ ...spaceMembers, delivery_ids: z.array(z.string()).min(1).max(SLICE) })
export type QueuedDeliveries = z.output<typeof QueuedDeliveries>

export const QueuedRecovery = z.strictObject({
  ...spaceMembers,
  recover_id: z.string(),
  endpoint_id: z.string(),
  /** Positions in the event log. */
  positions: z.array(z.int()).min(1).max(RECOVERY_SLICE),
})
export type QueuedRecovery = z.output<typeof QueuedRecovery>

/** The relay's event as the bus delivers it. The envelope was checked when it was published. */
const BusEvent = z.object({
  detail: z.looseObject({ tenant_id: z.string(), _mode: z.enum(MODES), _position: z.int() }),
})

const FanOutMessage = z.union([QueuedDeliveries, QueuedRecovery, BusEvent])
export type FanOutMessage = z.output<typeof FanOutMessage>

export const fanOutQueue = queue('webhook-fanout', FanOutMessage)

/** Throws when the queue refuses one of them. */
export async function enqueueDeliveries({ tenant_id, mode }: Space, ids: readonly string[]): Promise<void> {
  await sendMany(
    fanOutQueue,
    inGroups(ids, SLICE).map((delivery_ids) => ({ tenant_id, mode, delivery_ids })),
  )
}

/** Throws when the queue refuses one of them. */
export async function enqueueRecovery({ tenant_id, mode }: Space, job: Omit<QueuedRecovery, keyof Space>) {
  await sendMany(
    fanOutQueue,
    inGroups(job.positions, RECOVERY_SLICE).map((positions) => ({ tenant_id, mode, ...job, positions })),
  )
}
