// What a tenant sees of its domains: their status and the DNS record to publish.
import * as z from 'zod'
import { type Claim, claims, DOMAIN_PREFIX, domainsPartition, type TenantDomain, tenantDomains } from './domain.ts'
import { sameBytes } from '../../base/lib/json.ts'
import { base32, type RandomBytes } from '../../base/lib/ids.ts'
import type { Context } from '../../base/context.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'

export const DOMAIN_STATUSES = ['awaiting_dns', 'verified', 'lapsed', 'expired'] as const
export type DomainStatus = (typeof DOMAIN_STATUSES)[number]

/** `tenantDomain`: the tenant's request; `claim`: the owner of the domain, if any. `now` in ms. */
export function statusOf(tenantDomain: TenantDomain, claim: Claim | undefined, now: number): DomainStatus {
  const ownClaim = claim?.tenant_id === tenantDomain.tenant_id ? claim : undefined
  if (ownClaim?.status === 'verified') return 'verified'
  const askedSince = !ownClaim?.lapsed_at || tenantDomain.requested_at > ownClaim.lapsed_at
  if (ownClaim && !askedSince) return 'lapsed'
  return Date.parse(tenantDomain.expires_at) > now ? 'awaiting_dns' : 'expired'
}

export const DomainView = z.object({
  domain: z.string().describe('The domain of e-mail addresses.'),
  status: z.enum(DOMAIN_STATUSES).describe('The current state.'),
  verified_at: z.string().nullable().describe('When it was confirmed.'),
  last_checked_at: z.string().nullable().describe('When it was last checked.'),
})

function domainView(tenantDomain: TenantDomain, claim: Claim | undefined, now: number): z.input<typeof DomainView> {
  const ownClaim = claim?.tenant_id === tenantDomain.tenant_id ? claim : undefined
  return {
    domain: tenantDomain.domain,
    status: statusOf(tenantDomain, claim, now),
    verified_at: ownClaim?.verified_at ?? null,
    last_checked_at: ownClaim?.checked_at ?? null,
  }
}

export const VerificationView = z.object({
  domain: z.string().describe('The domain of e-mail addresses.'),
  verification_token: z.string().describe('The token in the TXT record.'),
  record: z
    .object({
      type: z.literal('TXT').describe('Type of the DNS record.'),
      name: z.string().describe('Name of the DNS record.'),
      value: z.string().describe('Value of the DNS record.'),
      ttl: z.int().describe('How long the record may be cached, in seconds.'),
    })
    .describe('The TXT record to create.'),
  status: z.enum(DOMAIN_STATUSES).describe('The current state.'),
  /** null once verified: the record must stay, so its token does not expire. */
  expires_at: z.string().nullable().describe('When it expires.'),
})

export function verificationOf(tenantDomain: TenantDomain, status: DomainStatus): z.input<typeof VerificationView> {
  const { domain, token, expires_at } = tenantDomain
  return {
    domain,
    verification_token: token,
    record: { type: 'TXT', name: recordName(domain), value: recordValue(token), ttl: RECORD_TTL_SECONDS },
    status,
    expires_at: status === 'awaiting_dns' ? expires_at : null,
  }
}

const RECORD_TTL_SECONDS = 300

/**
 * The name of the TXT record that proves control of a domain (draft-ietf-dnsop-domain-verification-techniques). Other records at
 * that name are ignored.
 */
export const recordName = (domain: string): string => `_countersign-verify.${domain}`
export const recordValue = (token: string): string => `token=${token}`

/** 32 random bytes in base32 without padding. */
export const newToken = (random: RandomBytes): string => base32(random(16)) + base32(random(16))

export type Found = 'match' | 'mismatch' | 'not_found'

/** `records`: the TXT records at the name, each as a list of its strings. One match is enough. */
export function readRecords(records: readonly (readonly string[])[], token: string): Found {
  if (records.length === 0) return 'not_found'
  return records.some((strings) => proves(strings.join(''), token)) ? 'match' : 'mismatch'
}

/** Accepts `token=<t>`, also before further `key=value` pairs, or the token alone. */
function proves(text: string, token: string): boolean {
  const [first = '', ...rest] = text.trim().split(/\s+/)
  const named = first.startsWith('token=')
  if (!named && rest.length > 0) return false
  return sameBytes(Buffer.from(named ? first.slice('token='.length) : first), Buffer.from(token))
}

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
