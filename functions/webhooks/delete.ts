import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { removeEndpoint } from '../../shared/deliver/webhooks/endpoints/create.ts'
import { webhooks } from './routes.ts'

export const shapes = { response: z.undefined(), versioned: true }

export const handler = endpoint(webhooks.delete, shapes, async ({ params, version, ctx }) => {
  await removeEndpoint(ctx, { id: params.id, version })
  return undefined
})
