import { endpoint } from '../../shared/http/endpoint.ts'
import { CredentialsView, credentialsView } from '../../shared/users/credentials-view.ts'
import { findAnyUser } from '../../shared/users/find.ts'
import { heldBy } from '../../shared/users/held.ts'
import { users } from './routes.ts'

export const shapes = { reply: CredentialsView }

export const handler = endpoint(users.credentials, shapes, async ({ params, ctx }) => {
  const user = await findAnyUser(ctx, params.id)
  return credentialsView(ctx, user, await heldBy(ctx, user))
})
