import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { iso } from '../../base/lib/clock.ts'
import { notFound } from '../../base/lib/failure.ts'
import { retryWhenOvertaken, Overtaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Claim, claims, type TenantDomain, tenantDomains } from './domain.ts'
import { lookUp, type LookUpResult } from './look-up.ts'
import { normaliseDomain } from './name.ts'
import { mustBeFree } from './request.ts'
import { nextDay } from './recheck-rules.ts'
import { statusOf } from './view.ts'

/** `changed`: the domain has become verified now. */
export type Confirmation = {
  domain: string
  verified: boolean
  verified_at: string | null
  reason?: Exclude<LookUpResult, 'match'> | 'expired'
  changed: boolean
}

/** Looks for the record now. The first tenant with a matching record owns the domain; all others get 409 from then on. */
export async function confirmDomain(ctx: Context, text: string): Promise<Confirmation> {
  const domain = normaliseDomain(text)
  return retryWhenOvertaken(() => confirm(ctx, domain))
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
      was ? claims.replace(claim, was, new Overtaken()) : claims.insert(claim, new Overtaken()),
      tenantDomains.replace({ ...tenantDomain, forget: false }, tenantDomain, new Overtaken()),
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
