import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { deleteUser } from '../../shared/identity/scim/delete-user.ts'
import { scim } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(scim.deleteUser, shapes, async ({ params, headers, ctx }) => {
  await deleteUser(ctx, params.id, headers['if-match'])
  return undefined
})
