import { endpoint } from '../../shared/http/endpoint.ts'
import { tagged } from '../../shared/http/etag.ts'
import { findAnyUser } from '../../shared/users/find.ts'
import { UserView, userView } from '../../shared/users/view.ts'
import { users } from './routes.ts'

export const shapes = { reply: UserView, versioned: true }

export const handler = endpoint(users.get, shapes, async ({ params, ctx }) => {
  const user = await findAnyUser(ctx, params.id)
  return tagged(userView(user), user._v)
})
