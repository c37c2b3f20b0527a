import * as z from 'zod'
import type { Claim, TenantDomain } from './domain.ts'
import { RECORD_TTL_SECONDS, recordName, recordValue } from './record.ts'

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

export function domainView(
  tenantDomain: TenantDomain,
  claim: Claim | undefined,
  now: number,
): z.input<typeof DomainView> {
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
