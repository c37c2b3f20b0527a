// The queue `billing` and its messages.
import * as z from 'zod'
import { queue } from '../../base/kernel/queue.ts'

export const BillingEvent = z.object({
  event_id: z.string(),
  customer_id: z.string(),
  object_id: z.string(),
  type: z.string(),
})
export type BillingEvent = z.output<typeof BillingEvent>

/** `due`: the sort key of a subscription, a checkout or the customer. `push`: hours of usage are due to the provider. */
export const BillingMessage = z.union([
  BillingEvent,
  z.object({ tenant_id: z.string(), due: z.string() }),
  z.object({ tenant_id: z.string(), push: z.literal(true) }),
])
export type BillingMessage = z.output<typeof BillingMessage>

export const billing = queue('billing', BillingMessage)
