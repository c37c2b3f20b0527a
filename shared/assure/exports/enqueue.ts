import type { Space } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'

/**
 * Asks for an export to be made or an erasure to be finished. A message that is lost is sent again by the sweeper. `asked`:
 * the checkpointer has just answered this export, which need not ask it again.
 */
export async function enqueueExport({ tenant_id, mode }: Space, id: string, { asked = false } = {}): Promise<void> {
  const { SendMessageCommand, sqs } = await import('../../base/aws/sqs.ts')
  const MessageBody = JSON.stringify({ tenant_id, mode, id, ...(asked && { asked }) })
  await sqs().send(new SendMessageCommand({ QueueUrl: env('EXPORTS_QUEUE_URL'), MessageBody }))
}
