import * as z from 'zod'
import { PermissionName } from '../../shared/identity/access/roles.ts'
import { HttpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { etag } from '../../shared/base/wire/etag.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { setRoles } from '../../shared/identity/users/set-roles.ts'
import { UserView, userView } from '../../shared/identity/users/view.ts'
import { users } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    roles: z.array(z.string().max(40)).max(20).describe('Roles, by name.'),
    /** Absent: left as they are. */
    grants: optional(z.array(PermissionName).max(60)).describe('Permissions of the person in addition to their roles.'),
    denies: optional(z.array(PermissionName).max(60)).describe(
      'Permissions that the person does not have, whatever their roles.',
    ),
    version: optional(z.int()).describe('The version that you want to change. Any other version is answered 409.'),
  }),
  response: UserView,
  versioned: true,
}

export const handler = endpoint(users.setRoles, shapes, async ({ params, body, version, ctx }) => {
  const { user, unchanged } = await setRoles(ctx, params.id, { ...body, version })
  return new HttpResponse(200, userView(user), { headers: { ETag: etag(user._v) }, unchanged })
})
