import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { removeEndpoint } from '../../shared/webhooks/change-endpoint.ts'
import { webhooks } from './routes.ts'

export const shapes = { reply: z.undefined() }

export const handler = endpoint(webhooks.delete, shapes, async ({ params, ctx }) => {
  await removeEndpoint(ctx, params.id)
  return undefined
})
