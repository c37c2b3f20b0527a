import type { Space } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'

/** Hands a job to the worker `train`. The sweeper sends a lost message again. */
export async function enqueueJob({ tenant_id, mode }: Space, id: string): Promise<void> {
  const { SendMessageCommand, sqs } = await import('../../base/aws/sqs.ts')
  const MessageBody = JSON.stringify({ tenant_id, mode, id })
  await sqs().send(new SendMessageCommand({ QueueUrl: env('TRAINING_QUEUE_URL'), MessageBody }))
}
