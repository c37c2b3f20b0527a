// What is due of a tenant's billing goes to the worker, which alone asks the provider.
import type { Space } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'
import type { BillingEvent } from './message.ts'

export const enqueueDue = ({ tenant_id }: Space, sk: string): Promise<void> => send({ tenant_id, due: sk })

export const enqueuePush = ({ tenant_id }: Space): Promise<void> => send({ tenant_id, push: true })

export const enqueueEvent = (event: BillingEvent): Promise<void> => send(event)

async function send(message: object): Promise<void> {
  const { SendMessageCommand, sqs } = await import('../../base/aws/sqs.ts')
  await sqs().send(new SendMessageCommand({ QueueUrl: env('BILLING_QUEUE_URL'), MessageBody: JSON.stringify(message) }))
}
