import '../effects.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { disconnectApplication } from '../../shared/people/credentials/end-applications.ts'
import { users } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(users.disconnectApplication, shapes, async ({ params, ctx }) => {
  await disconnectApplication(ctx, { user_id: params.id, client_id: params.client_id })
  return undefined
})
