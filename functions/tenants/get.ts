import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { freshTenant } from '../../shared/base/tenant/find.ts'
import { governanceOf, TenantView, tenantView } from '../../shared/govern/tenants/tenant-view.ts'
import { tenants } from './routes.ts'

export const shapes = { response: TenantView, versioned: true }

export const handler = endpoint(tenants.get, shapes, async ({ ctx }) => {
  const [tenant, governance] = await Promise.all([freshTenant(ctx.table, ctx.space.tenant_id), governanceOf(ctx)])
  return tagged(tenantView(tenant, governance), tenant._v)
})
