// What people see of their second factors.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { MfaPolicy } from '../../base/tenant/tenant.ts'
import { ownUser } from '../accounts/find.ts'
import { factorsOf, FactorView, recoveryCodes } from './factor.ts'

export const Overview = z.object({
  policy: MfaPolicy.describe('The rules of the tenant for second factors.'),
  factors: z.array(FactorView).describe('The enrolled factors.'),
  recovery_codes_left: z.int().describe('The number of unused recovery codes.'),
})

/** The policy of the tenant and the caller's own factors. */
export async function overview(ctx: Context): Promise<z.input<typeof Overview>> {
  const [user, { mfa_policy: policy }] = await Promise.all([ownUser(ctx), tenantOf(ctx.table, ctx.space.tenant_id)])
  const [factors, recovery] = await Promise.all([
    factorsOf(ctx.table, user),
    ctx.table.get(recoveryCodes, { tenant_id: user.tenant_id, user_id: user.id }),
  ])
  return { policy, factors, recovery_codes_left: recovery?.codes.length ?? 0 }
}
