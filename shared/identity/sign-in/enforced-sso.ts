// Enforced single sign-on: people of such a tenant sign in only at their identity provider. Owners keep their passwords, so
// that they can repair a broken configuration. Each use of one raises a security event.
import { MINUTE_MS } from '../../base/lib/clock.ts'
import { raise } from '../security-events/raise.ts'
import type { Context } from '../../base/context.ts'
import { tenantOfDomain } from '../domains/domain.ts'
import { type Failure, forbidden } from '../../base/lib/failure.ts'
import { startUrl } from '../sso/addresses.ts'
import { mailHost } from '../../base/lib/mailbox.ts'
import { type SsoConfiguration, ssoConfigurations } from '../sso/settings/configuration.ts'
import type { Table } from '../../base/table/table.ts'
import { hasFeature } from '../../base/tenant/retention.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import type { User } from '../accounts/user.ts'

export type EnforcedSso = { tenant_id: string; sso_url: string }

/** The identity provider where addresses of this domain must sign in, if any. */
export async function enforcedSso(table: Table, email: string): Promise<EnforcedSso | undefined> {
  const domain = mailHost(email)
  const tenant_id = await tenantOfDomain(table, domain)
  if (tenant_id === undefined) return undefined
  const [tenant, sso] = await Promise.all([tenantOf(table, tenant_id), table.get(ssoConfigurations, { tenant_id })])
  if (!sso || !enforces(tenant, sso) || !sso.domains.includes(domain)) return undefined
  return { tenant_id, sso_url: startUrl(sso.protocol, { tenant: tenant_id }) }
}

const enforces = (tenant: Tenant, { enabled, enforce }: SsoConfiguration): boolean =>
  enabled && enforce && hasFeature(tenant, 'sso')

/** The domains whose people, but for owners, can sign in at the identity provider of this tenant only. */
export async function enforcedDomains(table: Table, tenant_id: string): Promise<string[]> {
  const [tenant, sso] = await Promise.all([tenantOf(table, tenant_id), table.get(ssoConfigurations, { tenant_id })])
  if (!sso || !enforces(tenant, sso)) return []
  const owners = await Promise.all(sso.domains.map((domain) => tenantOfDomain(table, domain)))
  return sso.domains.filter((_, i) => owners[i] === tenant_id)
}

/** The enforcing tenant does not decide about accounts in other tenants. */
export async function mayUsePassword(ctx: Context, user: User, enforced: EnforcedSso | undefined): Promise<boolean> {
  if (user.tenant_id !== enforced?.tenant_id) return true
  if (!user.roles.includes('owner')) return false
  const { ip, request_id } = ctx.request
  await raise(ctx, {
    type: 'break_glass',
    severity: 'high',
    action_taken: 'allowed',
    ip,
    user,
    once: { of: request_id, ms: MINUTE_MS },
    notify: 'administrators',
  })
  return true
}

export const signInAtProvider = ({ sso_url }: EnforcedSso): Failure =>
  forbidden('You cannot sign in with a password here. Sign in through the identity provider of your organisation.', {
    members: { sso_url },
  })
