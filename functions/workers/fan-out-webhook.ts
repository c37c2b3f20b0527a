import { alarm } from '../../shared/base/lib/log.ts'
import { hideMessage, type QueueMessage } from '../../shared/base/aws/hide-message.ts'
import { pauseSeconds } from '../../shared/deliver/webhooks/come-back.ts'
import { Busy } from '../../shared/deliver/webhooks/deliver.ts'
import { endpointsReader } from '../../shared/deliver/webhooks/fan-out.ts'
import { handleMessage } from '../../shared/deliver/webhooks/messages.ts'

type QueueEvent = { Records: QueueMessage[] }

/**
 * Handles all messages in parallel, so that a slow receiver delays no other. Failed messages come back after seconds, and
 * later each time.
 */
export const handler = async ({ Records }: QueueEvent) => {
  const endpointsOf = endpointsReader()
  const failed = await Promise.all(
    Records.map(async (message) => {
      try {
        await handleMessage(message.body, endpointsOf)
        return []
      } catch (error) {
        if (!(error instanceof Busy)) alarm('fan_out.failed', error, { message: message.messageId })
        await hideMessage('WEBHOOK_FANOUT_QUEUE_URL', message, pauseSeconds(message, error))
        return [{ itemIdentifier: message.messageId }]
      }
    }),
  )
  return { batchItemFailures: failed.flat() }
}
