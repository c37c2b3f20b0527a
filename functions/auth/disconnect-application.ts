import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { disconnectOwn } from '../../shared/identity/oauth/disconnect.ts'
import { auth } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(auth.disconnectApplication, shapes, async ({ params, ctx }) => {
  await disconnectOwn(ctx, params.client_id)
  return undefined
})
