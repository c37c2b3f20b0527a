import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { freshTenant } from '../../shared/base/tenant/find.ts'
import { SessionPolicyView } from '../../shared/identity/tenants/session-policy-view.ts'
import { auth } from './routes.ts'

export const shapes = { response: SessionPolicyView, versioned: true }

export const handler = endpoint(auth.sessionPolicy, shapes, async ({ ctx }) => {
  const { session_policy, _v } = await freshTenant(ctx.table, ctx.space.tenant_id)
  return tagged({ ...session_policy, version: _v }, _v)
})
