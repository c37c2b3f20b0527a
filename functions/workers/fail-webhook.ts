import * as z from 'zod'
import { systemContext } from '../../shared/base/context.ts'
import { DeliveryRef, failDelivery } from '../../shared/deliver/webhooks/deliver.ts'

const Input = z.object({ delivery: DeliveryRef })

/** The last task of the delivery state machine, after all attempts have failed. */
export const handler = async (event: unknown): Promise<object> => {
  const { tenant_id, mode, delivery_id } = Input.parse(event).delivery
  await failDelivery(systemContext({ tenant_id, mode }), delivery_id)
  return {}
}
