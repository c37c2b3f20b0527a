import { changed } from '../audit/changed.ts'
import { differences } from '../audit/differences.ts'
import type { Context } from '../context.ts'
import { mustBeCurrent } from '../http/etag.ts'
import { iso } from '../lib/clock.ts'
import { conflict, invalid } from '../lib/failure.ts'
import type { Stored } from '../table/entity.ts'
import { forgetTenant, freshTenant } from '../tenants/find.ts'
import { MfaPolicy, type Tenant, tenants } from '../tenants/tenant.ts'
import { requireRecentFactor } from './fresh.ts'
import { mayEnrol } from './policy.ts'

const MEMBERS = Object.keys(MfaPolicy.shape) as (keyof MfaPolicy)[] // the members of that very schema

/** What a tenant decides about second factors; what is left out is the default. */
export type NewPolicy = Omit<MfaPolicy, 'since'>

/** What is asked of people must be in their power, else nobody could change the policy back. */
function mustBePossible(next: NewPolicy): void {
  if (next.enforcement === 'required' && next.allowed_methods.length === 0) {
    throw invalid(['allowed_methods'], 'must name a method when a factor is required')
  }
  if (next.step_up_minutes > 0 && !next.allowed_methods.some((method) => mayEnrol(next, method))) {
    throw invalid(['step_up_minutes'], 'must be 0 where nobody may add a factor')
  }
}

/** Replaces the policy. The days of grace begin when a factor becomes required, not at each change. */
export async function changeMfaPolicy(
  ctx: Context,
  next: NewPolicy,
  version: number | undefined,
): Promise<Stored<Tenant>> {
  const { tenant_id } = ctx.space
  const was = await freshTenant(ctx.table, tenant_id)
  requireRecentFactor(ctx, was)
  mustBeCurrent(version, was._v)
  mustBePossible(next)
  const before = was.mfa_policy
  const since = before.enforcement === 'required' ? before.since : iso(ctx.now())
  const mfa_policy: MfaPolicy = { ...next, ...(next.enforcement === 'required' && { since }) }
  const tenant = { ...was, mfa_policy }
  await ctx.table.commit([
    tenants.replace(tenant, was, conflict('the tenant was changed by another request; try again')),
    ...changed(ctx, [
      {
        action: 'mfa_policy.updated',
        artifact: 'identity.mfa_policy.updated',
        subject: { type: 'tenant', id: tenant_id, name: was.name },
        data: mfa_policy,
        changes: differences(before, mfa_policy, MEMBERS),
      },
    ]),
  ])
  forgetTenant(tenant_id)
  return { ...tenant, _v: was._v + 1 }
}
