import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { signOutEverywhere } from '../../shared/identity/users/sign-out-everywhere.ts'
import { users } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(users.deleteSessions, shapes, async ({ params, ctx }) => {
  await signOutEverywhere(ctx, params.id)
  return undefined
})
