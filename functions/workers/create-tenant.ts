import * as z from 'zod'
import { bootstrapTenant, type TenantCredentials } from '../../shared/identity/tenants/bootstrap.ts'
import { firstSet } from '../../shared/govern/tenants/governance-settings.ts'
import { AgreedQuotas, PLANS } from '../../shared/base/tenant/tenant.ts'

const Input = z
  .strictObject({
    name: z.string().min(1).max(120),
    plan: z.enum(PLANS).default('free'),
    /** In place of those of the plan. */
    quotas: AgreedQuotas.strict().optional(),
    owner_email: z.email(),
    owner_password: z.string().optional(),
    approver_email: z.email(),
    approver_password: z.string().optional(),
    /** Who decides on approvals; see the setting of the tenant. Later it changes in person. */
    settings: z.strictObject({ require_human_approver: z.boolean() }).optional(),
  })
  .refine(({ plan, quotas }) => plan !== 'free' || !quotas, 'quotas are agreed with a plan above free')

/** Founds a tenant and returns its credentials, which are shown only here. */
export async function handler(event: unknown): Promise<TenantCredentials> {
  const { settings, ...input } = Input.parse(event)
  return bootstrapTenant({ ...input, ...(settings && { set: { settings, governing: firstSet(settings) } }) })
}
