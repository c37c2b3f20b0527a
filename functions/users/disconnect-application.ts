import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { disconnectFor } from '../../shared/identity/oauth/disconnect.ts'
import { users } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(users.disconnectApplication, shapes, async ({ params, ctx }) => {
  await disconnectFor(ctx, params.id, params.client_id)
  return undefined
})
