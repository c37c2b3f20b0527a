import { endpoint } from '../../shared/edge/endpoint.ts'
import { readSubscription, SubscriptionView } from '../../shared/operate/billing/read-billing.ts'
import { billing } from './routes.ts'

export const shapes = { response: SubscriptionView }

export const handler = endpoint(billing.getSubscription, shapes, ({ ctx }) => readSubscription(ctx))
