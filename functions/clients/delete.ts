import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { deleteClient } from '../../shared/identity/oauth/delete-client.ts'
import { clients } from './routes.ts'

export const shapes = { response: z.undefined(), versioned: true }

export const handler = endpoint(clients.delete, shapes, async ({ params, version, ctx }) => {
  await deleteClient(ctx, { id: params.client_id, version })
  return undefined
})
