import '../effects.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { deleteUser } from '../../shared/identity/users/delete-user.ts'
import { leaveBehindLater as leaveBehind } from '../../shared/people/credentials/leave-behind-later.ts'
import { users } from './routes.ts'

export const shapes = { response: z.undefined(), versioned: true }

export const handler = endpoint(users.delete, shapes, async ({ params, version, ctx }) => {
  await deleteUser(ctx, { id: params.id, version, leaveBehind })
  return undefined
})
