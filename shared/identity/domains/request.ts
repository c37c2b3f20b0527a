// Requests the verification of a domain, and says which domains a tenant may verify at all: those that one organisation alone
// can own.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { env } from '../../base/lib/runtime.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { mustHaveFeature } from '../../base/tenant/retention.ts'
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
import { type DomainStatus, newToken, statusOf } from './view.ts'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

export type Requested = { tenantDomain: TenantDomain; status: DomainStatus; repeated: boolean }

/**
 * Stores the request of a domain and returns the token that its DNS record must hold. It owns nothing yet: several tenants can
 * request one domain. Throws 422 for a domain that no tenant can own, 409 for one that another tenant has verified and at the
 * limit. A repeated or concurrent request gets the same token until it expires.
 */
export async function requestVerification(ctx: Context, text: string): Promise<Requested> {
  const domain = normaliseDomain(text)
  return retryWhenChanged(() => request(ctx, domain))
}

async function request(ctx: Context, domain: string): Promise<Requested> {
  const { table, space } = ctx
  const [tenant, was, claim] = await Promise.all([
    tenantOf(table, space.tenant_id),
    table.get(tenantDomains, { tenant_id: space.tenant_id, domain }),
    table.get(claims, { domain }),
    mustBeOwnable(domain, serviceHosts()),
  ])
  const isOwn = claim?.tenant_id === tenant.id
  if (!isOwn) mustHaveFeature(tenant, 'domains')
  mustBeFree(ctx, claim)
  const status = was && statusOf(was, claim, ctx.now())
  if (was && (status === 'verified' || status === 'awaiting_dns')) return { tenantDomain: was, status, repeated: true }
  if (!was) await mustHaveCapacity(ctx)
  return { tenantDomain: await ask(ctx, domain, was), status: 'awaiting_dns', repeated: false }
}

const serviceHosts = () => ['BASE_URL', 'APP_URL'].map((name) => new URL(env(name)).hostname)

/** Throws 409 while another tenant has verified the domain. A lapsed domain may be taken over. */
export function mustBeFree({ space }: Context, claim: Claim | undefined): void {
  if (claim && claim.tenant_id !== space.tenant_id && claim.status === 'verified')
    throw conflict('Another tenant has verified this domain. Give another one.')
}

/** Throws 409 at the limit. Neither expired requests count nor domains that have lapsed or belong to somebody else by now. */
async function mustHaveCapacity(ctx: Context): Promise<void> {
  const { table, space } = ctx
  const now = iso(ctx.now())
  const all = await table.query(tenantDomains, { pk: domainsPartition(space.tenant_id), prefix: DOMAIN_PREFIX })
  const alive = all.filter(({ forget, expires_at }) => !forget || expires_at > now)
  if (alive.length < DOMAINS_MAX) return
  const found = await table.getAll(claims, alive)
  const held = found.filter(({ tenant_id, status }) => tenant_id === space.tenant_id && status === 'verified')
  const verified = new Set(held.map(({ domain }) => domain))
  const counted = alive.filter(({ domain, expires_at }) => expires_at > now || verified.has(domain))
  if (counted.length >= DOMAINS_MAX)
    throw conflict(
      `Your tenant has ${DOMAINS_MAX} domains already. Wait until an unverified one expires, or take the record of one out of DNS.`,
    )
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
  const raced = new ChangedMeanwhile()
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

/** RFC 1123: letters, digits and inner hyphens. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** Characters that end the host of a URL. The parser would silently drop or decode them. */
const BEYOND_HOST = /[/\\?#@:%\s]/
/** RFC 1035: a name has at most 253 characters, and the label of the record takes 20 of them. */
const LENGTH_MAX = 233

const refuse = (why: string) => invalid(['domain'], why)

/** ASCII, lower case, without a final dot. Throws 422 for anything but a host name of at least two labels. */
export function normaliseDomain(text: string): string {
  const host = text.trim().replace(/\.$/, '')
  const domain = BEYOND_HOST.test(host) ? '' : domainToASCII(host).toLowerCase()
  const labels = domain.split('.')
  if (isIP(domain) !== 0) throw refuse('This is an IP address. Give a domain.')
  if (domain.startsWith('*.')) throw refuse('This is a wildcard. Give a single domain.')
  if (!labels.every((label) => LABEL.test(label))) throw refuse('This is not a domain name. Give one like example.com.')
  if (labels.length < 2) throw refuse('The domain is too short. Give one with at least two labels, like example.com.')
  if (domain.length > LENGTH_MAX)
    throw refuse(`The domain is too long. Give one with at most ${LENGTH_MAX} characters.`)
  return domain
}

/**
 * Throws 422 for a normalised domain that no organisation owns alone: public suffixes, mail providers, hosts of this service.
 * They are refused even if their DNS holds the record.
 */
export async function mustBeOwnable(domain: string, hostsOfService: readonly string[]): Promise<void> {
  const { parse } = await import('tldts') // loaded late, because the public suffix list is large and only this function needs it
  const { publicSuffix } = parse(domain, { allowPrivateDomains: true })
  if (publicSuffix === domain) throw refuse('Nobody can own a public suffix. Give a domain below it.')
  if (CONSUMER_MAIL.has(parse(domain).domain ?? domain))
    throw refuse('The domain belongs to a public mail provider. Give a domain of your organisation.')
  if (hostsOfService.some((host) => isInside(host, domain) || isInside(domain, host))) {
    throw refuse('The domain belongs to this service. Give a domain of your organisation.')
  }
}

const isInside = (domain: string, parent: string) => domain === parent || domain.endsWith(`.${parent}`)

/** Domains of public mail providers. No tenant may verify one, because it would then own the accounts of strangers. */
const NAMES = `
  126.com 163.com aim.com alice.it aliyun.com aol.com att.net bellsouth.net bigpond.com bluewin.ch bol.com.br
  btinternet.com charter.net comcast.net cox.net daum.net duck.com earthlink.net email.com fastmail.com
  fastmail.fm foxmail.com free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com
  hanmail.net hey.com hotmail.ca hotmail.co.uk hotmail.com hotmail.com.br hotmail.de hotmail.es hotmail.fr
  hotmail.it hushmail.com icloud.com inbox.com inbox.lv interia.pl laposte.net libero.it live.ca live.co.uk
  live.com live.de live.fr live.it live.nl lycos.com mac.com mail.com mail.de mail.ru mailbox.org me.com
  msn.com naver.com ntlworld.com o2.pl onet.pl orange.fr outlook.com outlook.de outlook.es outlook.fr
  outlook.it outlook.jp pm.me posteo.de proton.me protonmail.ch protonmail.com qq.com rambler.ru
  rediffmail.com rocketmail.com sbcglobal.net seznam.cz sfr.fr shaw.ca sina.com sky.com sohu.com t-online.de
  talktalk.net telus.net terra.com.br tiscali.it tuta.com tuta.io tutanota.com tutanota.de uol.com.br
  verizon.net virgilio.it virginmedia.com wanadoo.fr web.de wp.pl xtra.co.nz ya.ru yahoo.ca yahoo.co.id
  yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.mx yahoo.de
  yahoo.es yahoo.fr yahoo.in yahoo.it yandex.by yandex.com yandex.kz yandex.ru yeah.net ymail.com zoho.com
  zohomail.com
`

const CONSUMER_MAIL: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/))
