import * as z from 'zod'
import { GovernanceSettings } from '../../shared/governance/settings.ts'
import { Answer } from '../../shared/http/call.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { etag } from '../../shared/http/etag.ts'
import { optional, plainText } from '../../shared/http/fields.ts'
import { changeTenant } from '../../shared/tenants/change-tenant.ts'
import { TenantView, tenantView } from '../../shared/tenants/view.ts'
import { tenants } from './routes.ts'

const flag = optional(z.boolean())

export const shapes = {
  body: z.strictObject({
    name: optional(plainText(120)),
    settings: optional(
      z.strictObject({
        /** Members of a group of the directory have the role. Never owner. */
        group_roles: optional(z.array(z.strictObject({ group: plainText(200), role: z.string().max(40) })).max(200)),
        /** Approvals are decided by people who signed in, not by keys. */
        require_human_approver: flag,
        allow_self_approval: flag,
        block_impossible_travel: flag,
        governance: optional(GovernanceSettings.unwrap().partial()),
      }),
    ),
    version: optional(z.int()),
  }),
  reply: TenantView,
  versioned: true,
}

export const handler = endpoint(tenants.update, shapes, async ({ body, version, ctx }) => {
  const { tenant, governance, unchanged } = await changeTenant(ctx, body, version)
  return new Answer(200, tenantView(tenant, governance), { headers: { ETag: etag(tenant._v) }, unchanged })
})
