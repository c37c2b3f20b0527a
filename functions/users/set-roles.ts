import * as z from 'zod'
import { PermissionName } from '../../shared/access/permission-name.ts'
import { Answer } from '../../shared/http/call.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { etag } from '../../shared/http/etag.ts'
import { optional } from '../../shared/http/fields.ts'
import { setRoles } from '../../shared/users/set-roles.ts'
import { UserView, userView } from '../../shared/users/view.ts'
import { users } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    roles: z.array(z.string().max(40)).max(20),
    /** Absent: left as they are. */
    grants: optional(z.array(PermissionName).max(60)),
    denies: optional(z.array(PermissionName).max(60)),
    version: optional(z.int()),
  }),
  reply: UserView,
  versioned: true,
}

export const handler = endpoint(users.setRoles, shapes, async ({ params, body, version, ctx }) => {
  const { user, unchanged } = await setRoles(ctx, params.id, { ...body, version })
  return new Answer(200, userView(user), { headers: { ETag: etag(user._v) }, unchanged })
})
