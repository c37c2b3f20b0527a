import { endpoint } from '../../shared/edge/endpoint.ts'
import { readUsage, UsageView } from '../../shared/operate/usage/read-usage.ts'
import { billing } from './routes.ts'

export const shapes = { response: UsageView }

export const handler = endpoint(billing.getUsage, shapes, ({ ctx }) => readUsage(ctx))
