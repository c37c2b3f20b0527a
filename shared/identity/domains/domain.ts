// Domains of tenants. That a tenant asked for one is the tenant's own item; whose the domain is stands in a claim that
// exists once for all tenants, so two can wait for the same domain and only one can have it.
import * as z from 'zod'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'

export const DOMAINS_MAX = 20
/** How long a token may wait for its record. */
export const TOKEN_DAYS = 7
const KEPT_SECONDS = 30 * 86_400

export const TenantDomain = z.object({
  tenant_id: z.string(),
  domain: z.string(),
  token: z.string(),
  requested_at: z.string(),
  /** Of the token, unless the domain is verified with it. */
  expires_at: z.string(),
  /** The item may go when nothing came of it. */
  forget: z.boolean(),
})
export type TenantDomain = z.output<typeof TenantDomain>

export const domainsPartition = (tenant_id: string): string => spaceKey({ tenant_id, mode: 'live' })
export const DOMAIN_PREFIX = 'DOMAIN#'

export const tenantDomains = entity({
  name: 'TENANTDOMAIN',
  schema: TenantDomain,
  key: (of: { tenant_id: string; domain: string }) => ({
    pk: domainsPartition(of.tenant_id),
    sk: key('DOMAIN', of.domain),
  }),
  ttl: ({ forget, expires_at }) => (forget ? Date.parse(expires_at) / 1_000 + KEPT_SECONDS : undefined),
})

export const Claim = z.object({
  domain: z.string(),
  tenant_id: z.string(),
  status: z.enum(['verified', 'lapsed']),
  verified_at: z.string(),
  lapsed_at: z.string().optional(),
  checked_at: z.string(),
  /** Daily checks in a row that did not find the record. */
  misses: z.int(),
  /** Day (yyyy-mm-dd) of the next check. */
  due: z.string(),
})
export type Claim = z.output<typeof Claim>

export const dueDomains = (day: string): string => key('DUE', 'DOMAIN', day)

export const claims = entity({
  name: 'DOMAIN',
  schema: Claim,
  key: ({ domain }: { domain: string }) => ({ pk: key('DOMAIN', domain), sk: 'DOMAIN' }),
  index: ({ domain, due }) => ({ gsi2pk: dueDomains(due), gsi2sk: domain }),
})

/** A lapsed domain still knows its people, but lets no new ones in. Undefined: not this tenant's, or no longer. */
export async function verifiedDomain(
  table: Table,
  tenant_id: string,
  domain: string,
): Promise<Claim['status'] | undefined> {
  const claim = await claimOf(table, domain)
  return claim?.tenant_id === tenant_id ? claim.status : undefined
}

/** Whose people have addresses of this domain; also while it is lapsed, until another tenant verifies it. */
export async function tenantOfDomain(table: Table, domain: string): Promise<string | undefined> {
  return (await claimOf(table, domain))?.tenant_id
}

/** Nobody has claimed what is no host name; it may come from anywhere and hold anything. */
const claimOf = async (table: Table, domain: string) =>
  HOST_NAME.test(domain) ? table.get(claims, { domain }) : undefined

const HOST_NAME = /^[a-z0-9.-]{1,253}$/
