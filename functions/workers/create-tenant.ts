import * as z from 'zod'
import { bootstrapTenant, type TenantCredentials } from '../../shared/identity/tenants/bootstrap.ts'
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
  })
  .refine(({ plan, quotas }) => plan !== 'free' || !quotas, 'quotas are agreed with a plan above free')

/** Founds a tenant and returns its credentials, which are shown only here. */
export const handler = async (event: unknown): Promise<TenantCredentials> => bootstrapTenant(Input.parse(event))
