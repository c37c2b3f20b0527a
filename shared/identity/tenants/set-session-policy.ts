// Replaces a tenant's session policy.
import { mustBeInPerson } from '../access/assurance.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { mailToOwners } from '../access/outrank.ts'
import type { Stored } from '../../base/table/entity.ts'
import { forgetTenant, freshTenant } from '../../base/tenant/find.ts'
import { SessionPolicy, type Tenant, tenants } from '../../base/tenant/tenant.ts'

/** Applies to live sessions, too, in every container within 30 seconds. */
export async function setSessionPolicy(
  ctx: Context,
  next: SessionPolicy,
  version: number | undefined,
): Promise<Stored<Tenant>> {
  if (next.refresh_ttl_s > next.lifetime_s)
    throw invalid(['refresh_ttl_s'], 'refresh_ttl_s is longer than lifetime_s. Shorten it, or lengthen lifetime_s.')
  const was = await freshTenant(ctx.table, ctx.space.tenant_id)
  mustBeInPerson(ctx, was)
  mustBeCurrent(version, was._v)
  const fields = SessionPolicy.keyof().options.filter((field) => next[field] !== was.session_policy[field])
  const tenant = { ...was, session_policy: next }
  await ctx.table.commit(
    [
      tenants.replace(tenant, was, conflict('The tenant was changed by another request. Try again.')),
      ...changed(
        ctx,
        [
          {
            action: 'session_policy.updated',
            artifact: 'identity.session_policy.updated',
            subject: { type: 'tenant', id: was.id, name: was.name },
            data: next,
            changes: fields.map((path) => ({ path, before: was.session_policy[path], after: next[path] })),
          },
        ],
        { mails: [mailToOwners(ctx, 'the session policy')] },
      ),
    ],
    was.id,
  )
  forgetTenant(was.id)
  return { ...tenant, _v: was._v + 1 }
}
