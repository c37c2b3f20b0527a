import { freshCustomRoles } from '../../shared/identity/access/permissions.ts'
import { BUILT_IN_ROLES, RoleView, roleView } from '../../shared/identity/roles/role-view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { roles } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(RoleView) }

export const handler = endpoint(roles.list, shapes, async ({ query, ctx }) => {
  const custom = await freshCustomRoles(ctx.table, ctx.space.tenant_id)
  return pageOf(ctx, roles.list.id, query, [...BUILT_IN_ROLES, ...custom.map(roleView)], ({ name }) => name)
})
