// Replaces a tenant's policy for second factors.
import { mustBeInPerson } from '../access/assurance.ts'
import { mustBeOwner } from '../access/roles.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import type { Context } from '../../base/context.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { mailToOwners } from '../access/outrank.ts'
import type { Stored } from '../../base/table/entity.ts'
import { forgetTenant, freshTenant } from '../../base/tenant/find.ts'
import { MfaPolicy, type Tenant, tenants } from '../../base/tenant/tenant.ts'

const MEMBERS = Object.keys(MfaPolicy.shape) as (keyof MfaPolicy)[] // keys of the schema itself

/** What a tenant decides about second factors. */
export type NewPolicy = Omit<MfaPolicy, 'since'>

/**
 * Replaces the policy. The days of grace begin when a factor becomes required, not at each change. Only owners may change it,
 * because it decides whether a password or an identity provider alone opens their accounts.
 */
export async function changeMfaPolicy(
  ctx: Context,
  next: NewPolicy,
  version: number | undefined,
): Promise<Stored<Tenant>> {
  const { tenant_id } = ctx.space
  const was = await freshTenant(ctx.table, tenant_id)
  mustBeOwner(
    ctx.principal,
    'You cannot change the policy for second factors, because it protects the accounts of owners. Ask an owner.',
  )
  mustBeInPerson(ctx, was)
  mustBeCurrent(version, was._v)
  mustBePossible(next)
  const before = was.mfa_policy
  const since = before.enforcement === 'required' ? before.since : iso(ctx.now())
  const mfa_policy: MfaPolicy = { ...next, ...(next.enforcement === 'required' && { since }) }
  const tenant = { ...was, mfa_policy }
  await ctx.table.commit([
    tenants.replace(tenant, was, conflict('The tenant was changed by another request. Try again.')),
    ...changed(
      ctx,
      [
        {
          action: 'mfa_policy.updated',
          artifact: 'identity.mfa_policy.updated',
          subject: { type: 'tenant', id: tenant_id, name: was.name },
          data: mfa_policy,
          changes: differences(before, mfa_policy, MEMBERS),
        },
      ],
      { mails: [mailToOwners(ctx, 'the policy for second factors')] },
    ),
  ])
  forgetTenant(tenant_id)
  return { ...tenant, _v: was._v + 1 }
}

/** A method must stay allowed, so that somebody can confirm a later change of this policy. */
function mustBePossible({ allowed_methods }: NewPolicy): void {
  if (allowed_methods.length === 0)
    throw invalid(['allowed_methods'], 'The policy allows no method. Name at least one.')
}
