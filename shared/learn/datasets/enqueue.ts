import type { Space } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'

/** Enqueues work on a dataset. The sweeper sends a lost message again. */
export async function enqueueDataset({ tenant_id, mode }: Space, id: string): Promise<void> {
  const { SendMessageCommand, sqs } = await import('../../base/aws/sqs.ts')
  const MessageBody = JSON.stringify({ tenant_id, mode, id })
  await sqs().send(new SendMessageCommand({ QueueUrl: env('TRAINING_QUEUE_URL'), MessageBody }))
}
