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
    name: optional(displayName(120)).describe('A name for people.'),
    logo: LogoUrl.nullable()
      .optional()
      .describe(
        'The image that pages for signing in show: PNG, JPEG or WebP as a data URL, at most 32 KiB and 1,024 pixels a side. Null removes it.',
      ),
    settings: optional(
      z.strictObject({
        /** Members of a group of the directory have the role. Never owner. */
        group_roles: optional(
          z
            .array(
              z.strictObject({
                group: plainText(200).describe('Name of the group in the directory.'),
                role: z.string().max(40).describe('The role that the group gives.'),
              }),
            )
            .max(200),
        ).describe('The role that each group of the directory gives.'),
        /** Approvals are decided by people who signed in, not by keys. Null: those of kinds that deserve a person. */
        require_human_approver: z
          .boolean()
          .nullable()
          .optional()
          .describe(
            'Whether only people in a session decide on approvals, and neither API keys nor OAuth clients. Null, the default: they do in live mode, on e-mails, messages to others, deletions, destructive actions, payments, deployments and permissions.',
          ),
        allow_self_approval: flag.describe(
          'Whether people may approve their own requests, unless a policy forbids it.',
        ),
        block_impossible_travel: flag.describe(
          'Whether to refuse a sign-in from a place that cannot be reached since the previous one.',
        ),
        /** How agents may connect by MCP. */
        mcp: optional(
          z.strictObject({
            enabled: flag.describe('Whether agents can connect by MCP at all.'),
            clients: optional(z.enum(['registered', 'hosts'])).describe(
              '`registered`: only clients that the tenant registered. `hosts`: also clients that a document describes.',
            ),
            hosts: optional(z.array(Host).max(50)).describe('Hosts whose documents describe clients that may connect.'),
          }),
        ).describe('How agents may connect by MCP.'),
        evidence_retention_days: z
          .int()
          .min(RETENTION_DAYS_MIN)
          .max(RETENTION_DAYS_MAX)
          .nullable()
          .optional()
          .describe(
            'Days for which payloads are kept. Records, signatures and proofs stay. In settings null means those of the plan.',
          ),
        governance: optional(GovernanceSettings.unwrap().partial()).describe('The governance settings of the tenant.'),
      }),
    ).describe('Settings of the tenant.'),
    version: optional(z.int()).describe('The version that you want to change. Any other version is answered 409.'),
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
