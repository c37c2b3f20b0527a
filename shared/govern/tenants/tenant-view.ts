// What the API shows of a tenant, with its governance settings.
import * as z from 'zod'
import { findPointer, GovernanceSettings, readSettings } from '../governance/settings.ts'
import type { Stored } from '../../base/table/entity.ts'
import { Tenant, TenantLogo, TenantSettings } from '../../base/tenant/tenant.ts'
import type { Context } from '../../base/context.ts'

export const TenantView = Tenant.pick({ id: true, name: true, plan: true, status: true, created_at: true }).extend({
  logo: TenantLogo.nullable().describe(
    'The image that pages for signing in show beside the name; null when there is none.',
  ),
  settings: z
    .object({
      ...TenantSettings.shape,
      /** Settings that decide about actions and approvals. */
      governance: GovernanceSettings.describe('The governance settings of the tenant.'),
    })
    .describe('Settings of the tenant.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})

export const tenantView = (tenant: Stored<Tenant>, governance: GovernanceSettings): z.input<typeof TenantView> => ({
  ...tenant,
  logo: tenant.logo ?? null,
  settings: { ...tenant.settings, governance },
  version: tenant._v,
})

/** The governance settings of the tenant, which are the same in both modes. */
export const governanceOf = async ({ table, space }: Context): Promise<GovernanceSettings> =>
  readSettings(await findPointer(table, { ...space, mode: 'live' }))
