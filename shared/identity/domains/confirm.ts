// Verifies domains: looks for the DNS record, stores the claim of the first tenant that has it, and says what a daily check
// makes of a claim.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { notFound } from '../../base/lib/failure.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Claim, claims, type TenantDomain, tenantDomains } from './domain.ts'
import { mustBeFree, normaliseDomain } from './request.ts'
import { type Found, readRecords, recordName, statusOf } from './view.ts'
import { Resolver } from 'node:dns/promises'
import { env } from '../../base/lib/runtime.ts'

/** `changed`: the domain has become verified now. */
export type Confirmation = {
  domain: string
  verified: boolean
  verified_at: string | null
  reason?: Exclude<LookUpResult, 'match'> | 'expired'
  changed: boolean
}

/**
 * Looks for the record now. The first tenant with a matching record owns the domain, and its word about addresses
 * there counts; all other tenants get 409 from then on. Without a match nothing is stored, and `reason` says why. May be repeated: a
 * verified domain answers the same without a look-up. Of two tenants at the same moment one commits, and the other gets the 409.
 */
export async function confirmDomain(ctx: Context, text: string): Promise<Confirmation> {
  const domain = normaliseDomain(text)
  return retryWhenChanged(() => confirm(ctx, domain))
}

async function confirm(ctx: Context, domain: string): Promise<Confirmation> {
  const { table, space } = ctx
  const [tenantDomain, claim] = await Promise.all([
    table.get(tenantDomains, { tenant_id: space.tenant_id, domain }),
    table.get(claims, { domain }),
  ])
  if (!tenantDomain) throw notFound('domain')
  mustBeFree(ctx, claim)
  const status = statusOf(tenantDomain, claim, ctx.now())
  if (claim && status === 'verified') {
    return { domain, verified: true, verified_at: claim.verified_at, changed: false }
  }
  const seen = status === 'expired' ? 'expired' : await lookUp(domain, tenantDomain.token)
  if (seen !== 'match') return { domain, verified: false, verified_at: null, reason: seen, changed: false }
  const verified_at = await take(ctx, tenantDomain, claim)
  return { domain, verified: true, verified_at, changed: true }
}

async function take(ctx: Context, tenantDomain: Stored<TenantDomain>, was: Stored<Claim> | undefined): Promise<string> {
  const { tenant_id, domain } = tenantDomain
  const now = ctx.now()
  const verified_at = iso(now)
  const claim: Claim = {
    domain,
    tenant_id,
    status: 'verified',
    verified_at,
    checked_at: verified_at,
    misses: 0,
    due: nextDay(now),
  }
  await ctx.table.commit(
    [
      was ? claims.replace(claim, was, new ChangedMeanwhile()) : claims.insert(claim, new ChangedMeanwhile()),
      tenantDomains.replace({ ...tenantDomain, forget: false }, tenantDomain, new ChangedMeanwhile()),
      ...changed(ctx, [verified(domain, (was?._v ?? 0) + 1)]),
    ],
    domain,
  )
  return verified_at
}

/** The change that is recorded when a domain becomes verified. `version`: the version of the stored claim. */
export const verified = (domain: string, version: number) => ({
  action: 'domain.verified',
  artifact: 'identity.domain.verified' as const,
  subject: { type: 'domain', id: domain },
  events: [verifiedEvent(domain, version)],
})

const verifiedEvent = (domain: string, version: number): EventDraft => ({
  type: 'artifact.created',
  subject: { id: domain, version },
  data: {
    artifact_type: 'domain_verification',
    resource_id: domain,
    name: domain,
    sha256: null,
    size_bytes: null,
  },
})

/** `dns_error`: no answer, so the status of the domain must not change. */
type LookUpResult = Found | 'dns_error'

const TIMEOUT_MS = 2_000
const TRIES = 2

/** The results other than a match, the most important first. */
const DOUBTS = ['dns_error', 'mismatch', 'not_found'] as const

/**
 * Looks for the record of a domain at the name servers of the deployment. All of them must return it, so that a single poisoned
 * or outdated server cannot decide.
 */
export async function lookUp(domain: string, token: string): Promise<LookUpResult> {
  const servers = env('DNS_SERVERS').split(',')
  const seen = await Promise.all(servers.map((server) => ask(server.trim(), domain, token)))
  return DOUBTS.find((doubt) => seen.includes(doubt)) ?? 'match'
}

async function ask(server: string, domain: string, token: string): Promise<LookUpResult> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES, maxTimeout: TIMEOUT_MS })
  resolver.setServers([server])
  try {
    return readRecords(await resolver.resolveTxt(recordName(domain)), token)
  } catch (error) {
    return isAbsence(error) ? 'not_found' : 'dns_error'
  }
}

/** The name does not exist, or it has no such record. */
const isAbsence = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA')

/** A domain lapses after this many consecutive daily checks without the record. */
export const MISSES_MAX = 3

/** The day (yyyy-mm-dd) after an instant (ms). */
export const nextDay = (now: number): string => iso(now + DAY_MS).slice(0, 10)

/** The claim after a check at `now` (ms) with an answer. A match verifies it again; several misses make it lapse. */
export function claimAfterCheck(claim: Claim, found: Found, now: number): Claim {
  const next = { ...claim, checked_at: iso(now), due: nextDay(now) }
  if (found === 'match') return { ...next, misses: 0, status: 'verified', lapsed_at: undefined }
  const misses = claim.misses + 1
  if (claim.status === 'lapsed' || misses < MISSES_MAX) return { ...next, misses }
  return { ...next, misses, status: 'lapsed', lapsed_at: iso(now) }
}
