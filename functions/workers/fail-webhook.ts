import * as z from 'zod'
import { systemContext } from '../../shared/base/context.ts'
import { DeliveryRef } from '../../shared/deliver/webhooks/delivery.ts'
import { failDelivery } from '../../shared/deliver/webhooks/finish.ts'

const Input = z.object({ delivery: DeliveryRef })

/** The last task of the delivery state machine, after all attempts have failed. */
export const handler = async (event: unknown): Promise<object> => {
  const { tenant_id, mode, delivery_id } = Input.parse(event).delivery
  await failDelivery(systemContext({ tenant_id, mode }), delivery_id)
  return {}
}
