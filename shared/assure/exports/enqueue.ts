import type { Space } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'

/**
 * Enqueues an export to be made or an erasure to be completed. The sweeper sends a lost message again. `asked`: the checkpointer
 * has just run for this export, so it is not requested again.
 */
export async function enqueueExport({ tenant_id, mode }: Space, id: string, { asked = false } = {}): Promise<void> {
  const { SendMessageCommand, sqs } = await import('../../base/aws/sqs.ts')
  const MessageBody = JSON.stringify({ tenant_id, mode, id, ...(asked && { asked }) })
  await sqs().send(new SendMessageCommand({ QueueUrl: env('EXPORTS_QUEUE_URL'), MessageBody }))
}
