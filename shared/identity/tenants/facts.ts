import type { FactAsk, SettingsFacts } from '../../base/ports/facts.ts'
import { hasFeature } from '../../base/tenant/features.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { coversEverybody } from '../access/allowlist.ts'
import { verifiedDomains } from '../domains/verified.ts'
import { type SsoConfiguration, ssoConfigurations } from '../sso/settings/configuration.ts'

export async function settings({ ctx: { table, space } }: FactAsk): Promise<SettingsFacts> {
  const { tenant_id } = space
  const [tenant, sso, verified] = await Promise.all([
    freshTenant(table, tenant_id),
    table.get(ssoConfigurations, { tenant_id }),
    verifiedDomains(table, tenant_id),
  ])
  const { created_at, mfa_policy, session_policy, ip_allowlist } = tenant
  return {
    created_at,
    mfa_required: mfa_policy.enforcement === 'required',
    idle_s: session_policy.idle_s,
    allowlist: {
      offered: hasFeature(tenant, 'ip_allowlist'),
      rules: ip_allowlist.length,
      open: coversEverybody(ip_allowlist),
    },
    sso: {
      offered: hasFeature(tenant, 'sso'),
      configured: sso?.enabled ?? false,
      // Only people of a domain that the configuration names can use it.
      verified_domains: verified.filter((domain) => sso?.domains.includes(domain)).length,
      urls: sso ? urlsOf(sso) : [],
    },
  }
}

const urlsOf = ({ saml, oidc }: SsoConfiguration): string[] =>
  [saml?.sso_url, saml?.slo_url, oidc?.issuer].filter((url) => url !== undefined)
