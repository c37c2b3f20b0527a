import * as z from 'zod'
import { replaceRole } from '../../shared/identity/roles/change-role.ts'
import { PermissionName } from '../../shared/identity/access/roles.ts'
import { RoleView, roleView } from '../../shared/identity/roles/role-view.ts'
import { HttpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional, plainText } from '../../shared/base/wire/fields.ts'
import { invalid } from '../../shared/base/lib/failure.ts'
import { roles } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    /** The one in the path: a role keeps its name. */
    name: optional(z.string().max(40)).describe('A name for people.'),
    description: optional(plainText(200, 0)).describe('A description for people.'),
    permissions: z.array(PermissionName).min(1).max(60).describe('Permissions, as `resource:verb`.'),
  }),
  response: RoleView,
}

export const handler = endpoint(roles.replace, shapes, async ({ params, body, ctx }) => {
  const { description = '', permissions } = body
  if (body.name !== undefined && body.name !== params.role)
    throw invalid(['name'], 'You cannot rename a role. Leave the name out.')
  const { role, unchanged } = await replaceRole(ctx, { name: params.role, description, permissions })
  return new HttpResponse(200, roleView(role), { unchanged })
})
