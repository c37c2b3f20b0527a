import { endpoint } from '../../shared/http/endpoint.ts'
import { tenantOf } from '../../shared/tenants/find.ts'
import { MfaPolicy } from '../../shared/tenants/tenant.ts'
import { mfa } from './routes.ts'

export const shapes = { reply: MfaPolicy }

export const handler = endpoint(mfa.getPolicy, shapes, async ({ ctx }) => {
  const { mfa_policy } = await tenantOf(ctx.table, ctx.space.tenant_id)
  return mfa_policy
})
