import '../effects.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { endOAuthClient } from '../../shared/people/credentials/end-applications.ts'
import { clients } from './routes.ts'

export const shapes = { response: z.undefined(), versioned: true }

export const handler = endpoint(clients.delete, shapes, async ({ params, version, ctx }) => {
  await endOAuthClient(ctx, { id: params.client_id, version })
  return undefined
})
