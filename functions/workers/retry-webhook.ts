import * as z from 'zod'
import { systemContext } from '../../shared/base/context.ts'
import { retryDelivery, type RetryResult } from '../../shared/deliver/webhooks/deliver.ts'
import { DeliveryRef } from '../../shared/deliver/webhooks/delivery.ts'

const Input = z.object({ delivery: DeliveryRef, execution_id: z.string(), attempt: z.int().optional() })

/** One retry, as a task of the delivery state machine. */
export const handler = async (event: unknown): Promise<RetryResult> => {
  const { delivery, execution_id, attempt } = Input.parse(event)
  const { tenant_id, mode, delivery_id } = delivery
  return retryDelivery(systemContext({ tenant_id, mode }), { delivery_id, execution_id, last: attempt })
}
