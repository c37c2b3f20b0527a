import '../effects.ts'
import * as z from 'zod'
import { GovernanceSettings } from '../../shared/govern/governance/settings.ts'
import { HttpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { etag } from '../../shared/base/wire/etag.ts'
import { displayName, optional, plainText } from '../../shared/base/wire/fields.ts'
import { RETENTION_DAYS_MAX, RETENTION_DAYS_MIN } from '../../shared/base/tenant/tenant.ts'
import { LogoUrl } from '../../shared/identity/logo/logo.ts'
import { changeTenant } from '../../shared/govern/tenants/change-tenant.ts'
import { TenantView, tenantView } from '../../shared/govern/tenants/tenant-view.ts'
import { isWaiting, WaitingChange, waitingResponse } from '../../shared/govern/protocol/loosen.ts'
import { tenants } from './routes.ts'

const flag = optional(z.boolean())

/** A host as it stands in a URL, with the port where it is not 443. */
const Host = z
  .string()
  .max(255)
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[1-9][0-9]{0,4})?$/)

export const shapes = {
  body: z.strictObject({
    name: optional(displayName(120)),
    /** PNG, JPEG or WebP of at most 32 KiB and 1,024 pixels a side. Null removes it. */
    logo: LogoUrl.nullable().optional(),
    settings: optional(
      z.strictObject({
        /** Members of a group of the directory have the role. Never owner. */
        group_roles: optional(z.array(z.strictObject({ group: plainText(200), role: z.string().max(40) })).max(200)),
        /** Approvals are decided by people who signed in, not by keys. Null: those of kinds that deserve a person. */
        require_human_approver: z.boolean().nullable().optional(),
        allow_self_approval: flag,
        block_impossible_travel: flag,
        /** How agents may connect by MCP. */
        mcp: optional(
          z.strictObject({
            enabled: flag,
            clients: optional(z.enum(['registered', 'hosts'])),
            hosts: optional(z.array(Host).max(50)),
          }),
        ),
        /** Null: the days of the plan. */
        evidence_retention_days: z.int().min(RETENTION_DAYS_MIN).max(RETENTION_DAYS_MAX).nullable().optional(),
        governance: optional(GovernanceSettings.unwrap().partial()),
      }),
    ),
    version: optional(z.int()),
  }),
  response: z.union([TenantView, WaitingChange]),
  versioned: true,
}

export const handler = endpoint(tenants.update, shapes, async ({ body, version, ctx }) => {
  const made = await changeTenant(ctx, body, version)
  if (isWaiting(made)) return waitingResponse(made)
  const { tenant, governance, unchanged } = made
  return new HttpResponse(200, tenantView(tenant, governance), { headers: { ETag: etag(tenant._v) }, unchanged })
})
