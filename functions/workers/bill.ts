import type * as z from 'zod'
import { alarm } from '../../shared/base/lib/log.ts'
import { systemContext } from '../../shared/base/context.ts'
import { BillingMessage } from '../../shared/operate/billing/message.ts'
import { takeDue } from '../../shared/operate/billing/take-due.ts'
import { takeEvent } from '../../shared/operate/billing/take-event.ts'
import { compareUsage } from '../../shared/operate/usage/compare.ts'
import { pushUsage } from '../../shared/operate/usage/push.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

async function carryOut(message: z.output<typeof BillingMessage>): Promise<void> {
  if ('event_id' in message) return takeEvent(message)
  const ctx = systemContext({ tenant_id: message.tenant_id, mode: 'live' })
  if ('push' in message) return pushUsage(ctx)
  await takeDue(ctx, message.due)
  return message.due.startsWith('SUB#') ? compareUsage(ctx) : undefined // daily
}

/** One message per event of the payment provider, or per thing that is due. Failed messages return to the queue. */
export const handler = async ({ Records }: QueueEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const { messageId, body } of Records) {
    try {
      await carryOut(BillingMessage.parse(JSON.parse(body)))
    } catch (error) {
      alarm('billing_not_done', error, { message: messageId })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}
