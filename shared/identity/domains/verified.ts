import { memory } from '../../base/lib/memory.ts'
import type { Table } from '../../base/table/table.ts'

const FRESH_MS = 30_000
const known = memory<{ domains: readonly string[]; until: number }>()

/** The verified domains of a tenant, cached for at most 30 seconds because every decision needs them. */
export async function verifiedDomains(table: Table, tenant_id: string): Promise<readonly string[]> {
  const cached = known.get(tenant_id)
  if (cached && cached.until > table.clock.now()) return cached.domains
  const { claims, DOMAIN_PREFIX, domainsPartition, tenantDomains } = await import('./domain.ts') // loaded late: most starts do not need it
  const items = await table.query(tenantDomains, { pk: domainsPartition(tenant_id), prefix: DOMAIN_PREFIX })
  const claimed = await table.getAll(
    claims,
    items.map(({ domain }) => ({ domain })),
  )
  const verified = claimed.filter((claim) => claim.tenant_id === tenant_id && claim.status === 'verified')
  const domains = verified.map(({ domain }) => domain)
  known.set(tenant_id, { domains, until: table.clock.now() + FRESH_MS })
  return domains
}
