import '../effects.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { deleteUser } from '../../shared/identity/scim/users/delete-user.ts'
import { leaveBehindLater as leaveBehind } from '../../shared/people/credentials/leave-behind-later.ts'
import { scim } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(scim.deleteUser, shapes, async ({ params, headers, ctx }) => {
  await deleteUser(ctx, { id: params.id, ifMatch: headers['if-match'], leaveBehind })
  return undefined
})
