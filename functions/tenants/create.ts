import * as z from 'zod'
import { DEFAULT_SETTINGS } from '../../shared/govern/governance/settings.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { displayName } from '../../shared/base/wire/fields.ts'
import { foundAnother } from '../../shared/identity/tenants/founding.ts'
import { TenantView, tenantView } from '../../shared/govern/tenants/tenant-view.ts'
import { UserView, userView } from '../../shared/identity/users/view.ts'
import { tenants } from './routes.ts'

export const shapes = {
  body: z.strictObject({ name: displayName(120).describe('A name for people.') }),
  response: z.object({ tenant: TenantView.describe('The tenant.'), owner: UserView.describe('The first owner.') }),
}

export const handler = endpoint(tenants.create, shapes, async ({ body, ctx }) => {
  const { tenant, owner } = await foundAnother(ctx, body)
  const view = { tenant: tenantView(tenant, DEFAULT_SETTINGS), owner: userView(owner) }
  return httpResponse(201, view, { Location: `/api/v1/tenants/${tenant.id}` })
})
