import '../effects.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ownUser } from '../../shared/identity/accounts/find.ts'
import { disconnectApplication } from '../../shared/people/credentials/end-applications.ts'
import { auth } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(auth.disconnectApplication, shapes, async ({ params, ctx }) => {
  const { id: user_id } = await ownUser(ctx)
  await disconnectApplication(ctx, { user_id, client_id: params.client_id })
  return undefined
})
