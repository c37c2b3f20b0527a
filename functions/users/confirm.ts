import * as z from 'zod'
import { HttpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { etag } from '../../shared/base/wire/etag.ts'
import { confirmUser } from '../../shared/identity/users/verify-email.ts'
import { UserView, userView } from '../../shared/identity/users/view.ts'
import { users } from './routes.ts'

export const shapes = { body: z.strictObject({}), response: UserView }

export const handler = endpoint(users.confirm, shapes, async ({ params, ctx }) => {
  const { user, unchanged } = await confirmUser(ctx, params.id)
  return new HttpResponse(200, userView(user), { headers: { ETag: etag(user._v) }, unchanged })
})
