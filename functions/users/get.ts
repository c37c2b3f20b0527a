import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { findAnyUser } from '../../shared/identity/accounts/find.ts'
import { UserView, userView } from '../../shared/identity/users/view.ts'
import { users } from './routes.ts'

export const shapes = { response: UserView, versioned: true }

export const handler = endpoint(users.get, shapes, async ({ params, ctx }) => {
  const user = await findAnyUser(ctx, params.id)
  return tagged(userView(user), user._v)
})
