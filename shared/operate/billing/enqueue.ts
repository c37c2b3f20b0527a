// What is due of a tenant's billing goes to the worker, which alone asks the provider.
import type { Space } from '../../base/context.ts'
import { send } from '../../base/kernel/queue.ts'
import { billing, type BillingEvent } from './message.ts'

export const enqueueDue = ({ tenant_id }: Space, sk: string): Promise<void> => send(billing, { tenant_id, due: sk })

export const enqueuePush = ({ tenant_id }: Space): Promise<void> => send(billing, { tenant_id, push: true })

export const enqueueEvent = (event: BillingEvent): Promise<void> => send(billing, event)
