import { alarm } from '../../shared/base/lib/log.ts'
import { systemContext } from '../../shared/base/context.ts'
import { BillingMessage } from '../../shared/operate/billing/message.ts'
import { takeDue } from '../../shared/operate/billing/take-due.ts'
import { takeEvent } from '../../shared/operate/billing/take-event.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

/** One message per event of the payment provider, or per thing that is due. Failed messages return to the queue. */
export const handler = async ({ Records }: QueueEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const { messageId, body } of Records) {
    try {
      const message = BillingMessage.parse(JSON.parse(body))
      if ('event_id' in message) await takeEvent(message)
      else await takeDue(systemContext({ tenant_id: message.tenant_id, mode: 'live' }), message.due)
    } catch (error) {
      alarm('billing_not_done', error, { message: messageId })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}
