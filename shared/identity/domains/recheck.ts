// Looks up every verified or lapsed domain again once a day. Only an answer changes the claim. Without one, the check is
// repeated on the next day.
import { changed } from '../../ledger/audit/changed.ts'
import { type Context, systemContext } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { alarm } from '../../base/lib/log.ts'
import { newMail } from '../../ledger/events/mail.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { claimAfterCheck, lookUp, verified } from './confirm.ts'
import { type Claim, claims, DOMAIN_PREFIX, domainsPartition, type TenantDomain, tenantDomains } from './domain.ts'

/** Checks the domains of this tenant that are due. Only the live space has domains. */
export async function recheckDomains(ctx: Context): Promise<void> {
  const { tenant_id, mode } = ctx.space
  if (mode !== 'live') return
  const today = iso(ctx.now()).slice(0, 10)
  const requested = await ctx.table.query(tenantDomains, { pk: domainsPartition(tenant_id), prefix: DOMAIN_PREFIX })
  const owned = await ctx.table.getAll(claims, requested)
  for (const claim of owned.filter((one) => one.tenant_id === tenant_id && one.due <= today)) {
    await recheck(claim).catch((error: unknown) => alarm('domain_check_failed', error, { domain: claim.domain }))
  }
}

async function recheck(claim: Stored<Claim>): Promise<void> {
  const { domain, tenant_id } = claim
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const tenantDomain = await ctx.table.get(tenantDomains, { tenant_id, domain })
  if (!tenantDomain) return
  const found = await lookUp(domain, tenantDomain.token)
  if (found === 'dns_error') return
  const next = claimAfterCheck(claim, found, ctx.now())
  await ctx.table.commit([claims.replace(next, claim), ...kept(tenantDomain, next), ...notices(ctx, claim, next)])
}

/** Keeps the request of a verified domain, because later checks need its token. */
const kept = (tenantDomain: Stored<TenantDomain>, { status }: Claim): Write[] =>
  tenantDomain.forget && status === 'verified'
    ? [tenantDomains.replace({ ...tenantDomain, forget: false }, tenantDomain)]
    : []

/** A check that changes nothing leaves no evidence. */
function notices(ctx: Context, { domain, status, misses, _v }: Stored<Claim>, next: Claim): Write[] {
  if (next.status === status) return []
  if (next.status === 'verified') return changed(ctx, [verified(domain, _v + 1)])
  return changed(
    ctx,
    [
      {
        action: 'domain.lapsed',
        artifact: 'identity.domain.lapsed',
        subject: { type: 'domain', id: domain },
        data: { misses: misses + 1 },
      },
    ],
    { mails: [newMail(ctx, 'domain_lapsed', { roles: ['owner', 'admin'] }, { domain })] },
  )
}
