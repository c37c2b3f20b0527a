// Deliveries that wait for their first attempt, ten to a message.
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import * as z from 'zod'
import { sqs } from '../aws/sqs.ts'
import type { Space } from '../context.ts'
import { env } from '../lib/env.ts'

/** How many deliveries one message names, and one event makes at once. */
export const SLICE = 10
const ENTRIES_MAX = 10

export const QueuedDeliveries = z.strictObject({
  tenant_id: z.string(),
  mode: z.enum(['live', 'test']),
  delivery_ids: z.array(z.string()).min(1).max(SLICE),
})
export type QueuedDeliveries = z.output<typeof QueuedDeliveries>

/** Throws when the queue did not take all of them: SendMessageBatch fails entry by entry inside a successful answer. */
export async function enqueueDeliveries({ tenant_id, mode }: Space, ids: readonly string[]): Promise<void> {
  const messages = slices(ids, SLICE).map((delivery_ids): QueuedDeliveries => ({ tenant_id, mode, delivery_ids }))
  for (const batch of slices(messages, ENTRIES_MAX)) {
    const Entries = batch.map((message, index) => ({ Id: String(index), MessageBody: JSON.stringify(message) }))
    const QueueUrl = env('WEBHOOK_FANOUT_QUEUE_URL')
    const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl, Entries }))
    if (Failed.length > 0) throw new Error(`the queue did not take ${Failed.length} messages`)
  }
}

const slices = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
