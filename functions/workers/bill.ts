import { type QueueEvent, read } from '../../shared/base/kernel/queue.ts'
import { systemContext } from '../../shared/base/context.ts'
import { billing, type BillingMessage } from '../../shared/operate/billing/message.ts'
import { takeDue, takeEvent } from '../../shared/operate/billing/work.ts'
import { compareUsage, pushUsage } from '../../shared/operate/usage/push.ts'

async function carryOut(message: BillingMessage): Promise<void> {
  if ('event_id' in message) return takeEvent(message)
  const ctx = systemContext({ tenant_id: message.tenant_id, mode: 'live' })
  if ('push' in message) return pushUsage(ctx)
  await takeDue(ctx, message.due)
  return message.due.startsWith('SUB#') ? compareUsage(ctx) : undefined // daily
}

/** One message per event of the payment provider, or per thing that is due. Failed messages return to the queue. */
export const handler = (event: QueueEvent) => read(billing, event, { failed: 'billing_not_done' }, carryOut)
