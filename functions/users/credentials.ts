import { endpoint } from '../../shared/edge/endpoint.ts'
import { CredentialsView, credentialsView, heldBy } from '../../shared/people/credentials/credentials-view.ts'
import { findAnyUser } from '../../shared/identity/accounts/find.ts'
import { users } from './routes.ts'

export const shapes = { response: CredentialsView }

export const handler = endpoint(users.credentials, shapes, async ({ params, ctx }) => {
  const user = await findAnyUser(ctx, params.id)
  return credentialsView(ctx, user, await heldBy(ctx, user))
})
