// Starts the state machine that waits and retries a failing delivery. It receives ids and the last outcome only.
import * as z from 'zod'
import { spaceMembers } from '../../base/table/members.ts'
import { publish } from '../../ledger/events/publish.ts'
import type { Delivery } from './delivery.ts'
import { waitSeconds } from './delivery-rules.ts'

/** Identifies a delivery for the state machine. */
export const DeliveryRef = z.object({
  ...spaceMembers,
  delivery_id: z.string(),
  endpoint_id: z.string(),
})
export type DeliveryRef = z.output<typeof DeliveryRef>

/** Starts one execution, which continues after the last attempt. Throws when the event bus refuses the event. */
export async function startRetries(delivery: Delivery): Promise<void> {
  const { tenant_id, mode, id: delivery_id, endpoint_id, attempt } = delivery
  const ref: DeliveryRef = { tenant_id, mode, delivery_id, endpoint_id }
  const detail = { delivery: ref, state: { outcome: 'failed', attempt, wait_seconds: waitSeconds(delivery) } }
  const refused = await publish([{ source: 'countersign.internal', type: 'webhook.delivery.retry', detail }])
  if (refused.length > 0) throw new Error('the event bus refused the start of the retries of a delivery')
}
