import { endpoint } from '../../shared/http/endpoint.ts'
import { tagged } from '../../shared/http/etag.ts'
import { freshTenant } from '../../shared/tenants/find.ts'
import { governanceOf } from '../../shared/tenants/governance-of.ts'
import { TenantView, tenantView } from '../../shared/tenants/view.ts'
import { tenants } from './routes.ts'

export const shapes = { reply: TenantView, versioned: true }

export const handler = endpoint(tenants.get, shapes, async ({ ctx }) => {
  const [tenant, governance] = await Promise.all([freshTenant(ctx.table, ctx.space.tenant_id), governanceOf(ctx)])
  return tagged(tenantView(tenant, governance), tenant._v)
})
