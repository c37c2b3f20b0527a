import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { MfaPolicyView } from '../../shared/identity/mfa/policy.ts'
import { freshTenant } from '../../shared/base/tenant/find.ts'
import { mfa } from './routes.ts'

export const shapes = { response: MfaPolicyView, versioned: true }

export const handler = endpoint(mfa.getPolicy, shapes, async ({ ctx }) => {
  const { mfa_policy, _v } = await freshTenant(ctx.table, ctx.space.tenant_id)
  return tagged({ ...mfa_policy, version: _v }, _v)
})
