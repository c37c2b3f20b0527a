import * as z from 'zod'
import { createRole } from '../../shared/identity/roles/change-role.ts'
import { CustomRole } from '../../shared/identity/access/permissions.ts'
import { PermissionName } from '../../shared/identity/access/roles.ts'
import { RoleView, roleView } from '../../shared/identity/roles/role-view.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional, plainText } from '../../shared/base/wire/fields.ts'
import { roles } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    name: CustomRole.shape.name.describe('A name for people.'),
    description: optional(plainText(200, 0)).describe('A description for people.'),
    permissions: z.array(PermissionName).min(1).max(60).describe('Permissions, as `resource:verb`.'),
  }),
  response: RoleView,
}

export const handler = endpoint(roles.create, shapes, async ({ body: { description = '', ...rest }, ctx }) => {
  const role = await createRole(ctx, { ...rest, description })
  return httpResponse(201, roleView(role), { Location: `/api/v1/roles/${role.name}` })
})
