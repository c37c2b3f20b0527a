import '../effects.ts'
import * as z from 'zod'
import { HttpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { etag } from '../../shared/base/wire/etag.ts'
import { displayName, optional } from '../../shared/base/wire/fields.ts'
import { changeUser } from '../../shared/identity/users/change-user.ts'
import { Email } from '../../shared/identity/accounts/password.ts'
import { UserView, userView } from '../../shared/identity/users/view.ts'
import { leaveBehindLater as leaveBehind } from '../../shared/people/credentials/leave-behind-later.ts'
import { users } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    name: optional(displayName(120)).describe('A name for people.'),
    email: optional(Email).describe('The e-mail address.'),
    status: optional(z.enum(['active', 'suspended'])).describe('The current state.'),
    /** Unblocks an account after failed sign-ins. */
    locked: optional(z.literal(false)).describe('`false` ends a lock-out of the account.'),
    version: optional(z.int()).describe('The version that you want to change. Any other version is answered 409.'),
  }),
  response: UserView,
  versioned: true,
}

export const handler = endpoint(users.update, shapes, async ({ params, body, version, ctx }) => {
  const { user, unchanged } = await changeUser(ctx, params.id, { ...body, version, leaveBehind })
  return new HttpResponse(200, userView(user), { headers: { ETag: etag(user._v) }, unchanged })
})
