import type { Context } from '../../base/context.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { claims, DOMAIN_PREFIX, domainsPartition, tenantDomains } from './domain.ts'
import { domainView } from './view.ts'

/** A page of the tenant's domains, each with its present status. */
export async function listDomains(ctx: Context, operation: string, query: ListQuery) {
  const page = await paginate(ctx, operation, query, {
    of: tenantDomains,
    groups: [{ name: 'domains', partitions: [domainsPartition(ctx.space.tenant_id)] }],
    descending: false,
    from: DOMAIN_PREFIX,
    to: `${DOMAIN_PREFIX}~`,
  })
  const known = await ctx.table.getAll(
    claims,
    page.items.map(({ domain }) => ({ domain })),
  )
  const claimOf = new Map(known.map((claim) => [claim.domain, claim]))
  return {
    ...page,
    items: page.items.map((tenantDomain) => domainView(tenantDomain, claimOf.get(tenantDomain.domain), ctx.now())),
  }
}
