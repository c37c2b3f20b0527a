// Domains of tenants. A request is an item of its tenant. The owner of a domain is stored in a claim, which exists once for all
// tenants. So two tenants can request the same domain, but only one can own it.
import * as z from 'zod'
import { mailHost } from '../../base/lib/mailbox.ts'
import { bound } from '../../base/table/bound.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'

export const DOMAINS_MAX = 20
/** How long a token is valid before its record is found. */
export const TOKEN_DAYS = 7
const KEPT_SECONDS = 30 * 86_400

export const TenantDomain = z.object({
  tenant_id: z.string(),
  domain: z.string(),
  token: z.string(),
  requested_at: z.string(),
  /** The end of the token, unless the domain was verified with it. */
  expires_at: z.string(),
  /** The item may expire, because the domain was never verified with it. */
  forget: z.boolean(),
})
export type TenantDomain = z.output<typeof TenantDomain>

export const domainsPartition = (tenant_id: string): string => spaceKey({ tenant_id, mode: 'live' })
export const DOMAIN_PREFIX = 'DOMAIN#'

export const tenantDomains = entity({
  name: 'TENANTDOMAIN',
  unbound: 'names what is proven',
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
  /** Consecutive daily checks that did not find the record. */
  misses: z.int(),
  /** Day (yyyy-mm-dd) of the next check. */
  due: z.string(),
})
export type Claim = z.output<typeof Claim>

export const dueDomains = (day: string): string => key('DUE', 'DOMAIN', day)

export const claims = bound({
  name: 'DOMAIN',
  schema: Claim,
  key: ({ domain }: { domain: string }) => ({ pk: key('DOMAIN', domain), sk: 'DOMAIN' }),
  index: ({ domain, due }) => ({ gsi2pk: dueDomains(due), gsi2sk: domain }),
})

/** The status of a tenant's domain; undefined when it is not this tenant's. People of a `lapsed` one keep their accounts. */
export async function verifiedDomain(
  table: Table,
  tenant_id: string,
  domain: string,
): Promise<Claim['status'] | undefined> {
  const claim = await claimOf(table, domain)
  return claim?.tenant_id === tenant_id ? claim.status : undefined
}

/** The tenant that owns a domain. A lapsed domain keeps its owner until another tenant verifies it. */
export async function tenantOfDomain(table: Table, domain: string): Promise<string | undefined> {
  return (await claimOf(table, domain))?.tenant_id
}

/** The domain may come from any request, so it is checked before it becomes part of a key. */
const claimOf = async (table: Table, domain: string) =>
  HOST_NAME.test(domain) ? table.get(claims, { domain }) : undefined

const HOST_NAME = /^[a-z0-9.-]{1,253}$/

/**
 * Whether a tenant has verified the domain of an address, so that its word about the address counts without a mail. False for a
 * lapsed domain, too: it may belong to somebody else by now.
 */
export async function isOfVerifiedDomain(table: Table, tenant_id: string, email: string): Promise<boolean> {
  return (await verifiedDomain(table, tenant_id, mailHost(email))) === 'verified'
}
