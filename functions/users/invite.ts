import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { displayName, optional } from '../../shared/base/wire/fields.ts'
import { invite } from '../../shared/identity/users/invite.ts'
import { Email } from '../../shared/identity/accounts/password.ts'
import { UserView, userView } from '../../shared/identity/users/view.ts'
import { users } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    email: Email,
    name: optional(displayName(120)).describe('A name for people.'),
    roles: z.array(z.string().max(40)).min(1).max(20).describe('Roles, by name.'),
  }),
  response: UserView,
}

export const handler = endpoint(users.invite, shapes, async ({ body, ctx }) => {
  const { user, repeated } = await invite(ctx, body)
  return httpResponse(repeated ? 200 : 201, userView(user), { Location: `/api/v1/users/${user.id}` })
})
