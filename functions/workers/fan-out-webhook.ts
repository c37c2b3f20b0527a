import { alarm } from '../../shared/base/lib/log.ts'
import { endpointsReader } from '../../shared/deliver/webhooks/fan-out.ts'
import { handleMessage } from '../../shared/deliver/webhooks/messages.ts'
import { Busy } from '../../shared/deliver/webhooks/deliver.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

/** Handles all messages in parallel, so that a slow receiver delays no other. Failed messages return to the queue. */
export const handler = async ({ Records }: QueueEvent) => {
  const endpointsOf = endpointsReader()
  const ends = await Promise.allSettled(Records.map(({ body }) => handleMessage(body, endpointsOf)))
  const batchItemFailures = Records.flatMap(({ messageId }, index) => {
    const end = ends[index]
    if (end?.status !== 'rejected') return []
    if (!(end.reason instanceof Busy)) alarm('fan_out.failed', end.reason, { message: messageId })
    return [{ itemIdentifier: messageId }]
  })
  return { batchItemFailures }
}
