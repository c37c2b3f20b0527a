import * as z from 'zod'
import { bootstrapTenant, type TenantCredentials } from '../../shared/identity/tenants/bootstrap.ts'
import { Email } from '../../shared/identity/accounts/password.ts'
import { firstSet } from '../../shared/govern/tenants/governance-settings.ts'
import { PLANS } from '../../shared/base/limits/plans.ts'
import { AgreedQuotas } from '../../shared/base/tenant/tenant.ts'

const Input = z
  .strictObject({
    name: z.string().min(1).max(120),
    plan: z.enum(PLANS).default('free'),
    /** In place of those of the plan. */
    quotas: AgreedQuotas.strict().optional(),
    owner_email: Email,
    owner_password: z.string().optional(),
    approver_email: Email,
    approver_password: z.string().optional(),
    /** Who decides on approvals, and what becomes of repeated requests; see the settings of the tenant. Later they change in person. */
    settings: z
      .strictObject({
        require_human_approver: z.boolean(),
        refusal_holds_s: z.int().min(0).max(86_400).default(600),
        answer_repeats: z.boolean().default(true),
      })
      .optional(),
  })
  .refine(({ plan, quotas }) => plan !== 'free' || !quotas, 'quotas are agreed with a plan above free')

/** Founds a tenant and returns its credentials, which are shown only here. */
export async function handler(event: unknown): Promise<TenantCredentials> {
  const { settings: governing, ...input } = Input.parse(event)
  if (!governing) return bootstrapTenant(input)
  const { require_human_approver } = governing
  return bootstrapTenant({ ...input, set: { settings: { require_human_approver }, governing: firstSet(governing) } })
}
