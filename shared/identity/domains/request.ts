import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { env } from '../../base/lib/runtime.ts'
import { retryWhenOvertaken, Overtaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { mustHaveFeature } from '../../base/tenant/features.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import {
  type Claim,
  claims,
  DOMAIN_PREFIX,
  DOMAINS_MAX,
  domainsPartition,
  type TenantDomain,
  tenantDomains,
  TOKEN_DAYS,
} from './domain.ts'
import { mustBeOwnable, normaliseDomain } from './name.ts'
import { newToken } from './record.ts'
import { type DomainStatus, statusOf } from './view.ts'

export type Requested = { tenantDomain: TenantDomain; status: DomainStatus; repeated: boolean }

/** Gives the token that the DNS record must hold. A repeated request gives the same token until it expires. */
export async function requestVerification(ctx: Context, text: string): Promise<Requested> {
  const domain = normaliseDomain(text)
  return retryWhenOvertaken(() => request(ctx, domain))
}

async function request(ctx: Context, domain: string): Promise<Requested> {
  const { table, space } = ctx
  const [tenant, was, claim] = await Promise.all([
    tenantOf(table, space.tenant_id),
    table.get(tenantDomains, { tenant_id: space.tenant_id, domain }),
    table.get(claims, { domain }),
    mustBeOwnable(domain, ownHosts()),
  ])
  const isOwn = claim?.tenant_id === tenant.id
  if (!isOwn) mustHaveFeature(tenant, 'domains')
  mustBeFree(ctx, claim)
  const status = was && statusOf(was, claim, ctx.now())
  if (was && (status === 'verified' || status === 'awaiting_dns')) return { tenantDomain: was, status, repeated: true }
  if (!was) await mustHaveCapacity(ctx)
  return { tenantDomain: await ask(ctx, domain, was), status: 'awaiting_dns', repeated: false }
}

const ownHosts = () => ['BASE_URL', 'APP_URL'].map((name) => new URL(env(name)).hostname)

/** Throws 409 while another tenant has verified the domain. A lapsed domain may be taken over. */
export function mustBeFree({ space }: Context, claim: Claim | undefined): void {
  if (claim && claim.tenant_id !== space.tenant_id && claim.status === 'verified')
    throw conflict('Another tenant has verified this domain. Give another one.')
}

/** Throws 409 at the limit. Expired requests do not count. */
async function mustHaveCapacity(ctx: Context): Promise<void> {
  const { table, space } = ctx
  const now = iso(ctx.now())
  const all = await table.query(tenantDomains, { pk: domainsPartition(space.tenant_id), prefix: DOMAIN_PREFIX })
  const alive = all.filter(({ forget, expires_at }) => !forget || expires_at > now)
  if (alive.length >= DOMAINS_MAX)
    throw conflict(`Your tenant has ${DOMAINS_MAX} domains already. Wait until an unverified one expires.`)
}

async function ask(ctx: Context, domain: string, was: Stored<TenantDomain> | undefined): Promise<TenantDomain> {
  const now = ctx.now()
  const tenantDomain: TenantDomain = {
    tenant_id: ctx.space.tenant_id,
    domain,
    token: newToken(ctx.random),
    requested_at: iso(now),
    expires_at: iso(now + TOKEN_DAYS * DAY_MS),
    forget: true,
  }
  const raced = new Overtaken()
  const change = {
    action: 'domain.requested',
    artifact: 'identity.domain.requested' as const,
    subject: { type: 'domain', id: domain },
    data: { expires_at: tenantDomain.expires_at },
  }
  await ctx.table.commit(
    [
      was ? tenantDomains.replace(tenantDomain, was, raced) : tenantDomains.insert(tenantDomain, raced),
      ...changed(ctx, [change]),
    ],
    domain,
  )
  return tenantDomain
}
