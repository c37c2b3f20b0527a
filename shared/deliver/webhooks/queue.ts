// Puts work on the fan-out queue: deliveries for their first attempt, ten in a message, and lost events that an endpoint
// should still receive.
import * as z from 'zod'
import { currentRuntime, type Space } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'
import { spaceMembers } from '../../base/table/members.ts'

/** Deliveries in one message, and deliveries of one event that are attempted at once. */
export const SLICE = 10
/** Events that one message recovers. */
export const RECOVERY_SLICE = 500

/** Limit of SendMessageBatch. */
const ENTRIES_MAX = 10
const TRIES = 3
const PAUSE_MS = 100

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

/** Throws when the queue refuses one of them. */
export async function enqueueDeliveries({ tenant_id, mode }: Space, ids: readonly string[]): Promise<void> {
  await enqueue(slices(ids, SLICE).map((delivery_ids): QueuedDeliveries => ({ tenant_id, mode, delivery_ids })))
}

/** Throws when the queue refuses one of them. */
export async function enqueueRecovery({ tenant_id, mode }: Space, job: Omit<QueuedRecovery, keyof Space>) {
  await enqueue(
    slices(job.positions, RECOVERY_SLICE).map((positions): QueuedRecovery => ({ tenant_id, mode, ...job, positions })),
  )
}

/** A successful SendMessageBatch may still name failed entries; only those are sent again. */
async function enqueue(messages: readonly object[]): Promise<void> {
  const { SendMessageBatchCommand, sqs } = await import('../../base/aws/sqs.ts')
  const QueueUrl = env('WEBHOOK_FANOUT_QUEUE_URL')
  for (const batch of slices(messages, ENTRIES_MAX)) {
    let open = batch.map((message, index) => ({ Id: String(index), MessageBody: JSON.stringify(message) }))
    for (let attempt = 0; open.length > 0; attempt += 1) {
      if (attempt >= TRIES) throw new Error(`the queue refused ${open.length} messages`)
      if (attempt > 0) await currentRuntime().clock.sleep(PAUSE_MS * 2 ** attempt)
      const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl, Entries: open }))
      const refused = new Set(Failed.map(({ Id }) => Id))
      open = open.filter(({ Id }) => refused.has(Id))
    }
  }
}

export const slices = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
