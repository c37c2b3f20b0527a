import { mustBeAllowedToGiveRoles, givenRoles } from '../access/roles.ts'
import { mustBeInPerson } from '../access/recent-factor.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import type { Context } from '../../base/context.ts'
import { verifiedDomain } from '../domains/domain.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { mailToOwners } from '../access/mail-to-owners.ts'
import { redirectUriProblem } from '../../base/lib/redirect-uri.ts'
import type { Stored } from '../../base/table/entity.ts'
import { mustHaveFeature } from '../../base/tenant/features.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { configurationRaced, type SsoConfiguration, ssoConfigurations } from './configuration.ts'
import type { SsoFields } from './fields.ts'
import { oidcSettings } from './oidc-settings.ts'
import { rolesOfConfiguration } from './group-roles.ts'
import { mustMapSoundly } from './role-mappings.ts'
import { settleLater, settleRoles } from './settle-roles.ts'
import { samlSettings } from './saml-settings.ts'
import { encryptionKeys } from './encryption-keys.ts'
import { mustDecideOnSso } from './owners-only.ts'
import { newSpKey } from './sp-key.ts'
import { FIELDS, ssoView } from './view.ts'
import { privateKeySeal } from './secrets.ts'

/** Replaces the whole configuration. The service provider's key and certificate stay, since the provider has that certificate. */
export async function configureSso(
  ctx: Context,
  fields: SsoFields,
  version: number | undefined,
): Promise<Stored<SsoConfiguration>> {
  const { table, space } = ctx
  const { tenant_id } = space
  mustDecideOnSso(ctx)
  const [tenant, was] = await Promise.all([tenantOf(table, tenant_id), table.get(ssoConfigurations, { tenant_id })])
  mustBeInPerson(ctx, tenant)
  mustHaveFeature(tenant, 'sso')
  mustBeCurrent(version, was?._v ?? 0)
  mustBeSound(fields)
  mustMapSoundly(fields)
  await Promise.all([mustBeAllowedToGiveRoles(ctx, rolesOfConfiguration(fields)), mustBeVerified(ctx, fields.domains)])
  const { saml, oidc, ...common } = fields
  const next: Stored<SsoConfiguration> = {
    ...common,
    _v: (was?._v ?? 0) + 1,
    tenant_id,
    ...(fields.protocol === 'saml' ? { saml: samlSettings(saml) } : { oidc: await oidcSettings(tenant_id, oidc, was) }),
    sp: { ...(was?.sp ?? (await newSp(ctx))), encryption: await encryptionKeys(ctx, saml, was) },
    created_at: was?.created_at ?? iso(ctx.now()),
    updated_at: iso(ctx.now()),
  }
  await store(ctx, next, was)
  await settleRoles(ctx)
  return next
}

function mustBeSound({ protocol, saml, oidc, login_redirect_uris }: SsoFields): void {
  if (protocol === 'saml' && oidc)
    throw invalid(
      ['oidc'],
      'These settings are for the protocol oidc. Leave them out, or change the protocol.',
      'extra_forbidden',
    )
  if (protocol === 'oidc' && saml)
    throw invalid(
      ['saml'],
      'These settings are for the protocol saml. Leave them out, or change the protocol.',
      'extra_forbidden',
    )
  for (const [index, uri] of login_redirect_uris.entries()) {
    const problem = redirectUriProblem(uri)
    if (problem) throw invalid(['login_redirect_uris', index], problem)
  }
}

/** Throws 409 for a domain that is not verified or has lapsed: its people may belong to somebody else by now. */
async function mustBeVerified({ table, space }: Context, domains: readonly string[]): Promise<void> {
  const states = await Promise.all(domains.map((domain) => verifiedDomain(table, space.tenant_id, domain)))
  const other = domains.find((_, index) => states[index] !== 'verified')
  if (other !== undefined) throw conflict(`The domain ${other} is not verified. Verify it first, or leave it out.`)
}

async function newSp(ctx: Context): Promise<SsoConfiguration['sp']> {
  const { tenant_id } = ctx.space
  const { certificate, private_key } = await newSpKey(tenant_id, ctx.now())
  return { certificate, private_key: await privateKeySeal.seal({ tenant_id }, private_key) }
}

async function store(
  ctx: Context,
  next: Stored<SsoConfiguration>,
  was: Stored<SsoConfiguration> | undefined,
): Promise<void> {
  const { tenant_id } = next
  const raced = configurationRaced()
  const change = {
    action: 'sso.updated',
    artifact: 'identity.sso.updated' as const,
    subject: { type: 'sso', id: tenant_id },
    data: { protocol: next.protocol, enabled: next.enabled, enforce: next.enforce, domains: next.domains },
    changes: [...differences(was && ssoView(was), ssoView(next), FIELDS), ...secretChange(next, was)],
  }
  const write = was ? ssoConfigurations.replace(next, was, raced) : ssoConfigurations.insert(next, raced)
  const recorded = changed(ctx, [change], { mails: [mailToOwners(ctx, 'single sign-on')] })
  await ctx.table.commit(
    [write, ...givenRoles(tenant_id, rolesOfConfiguration(next)), ...(await settleLater(ctx, was)), ...recorded],
    tenant_id,
  )
}

/** The view holds no secret, so a new secret needs a change of its own. */
const secretChange = ({ oidc }: SsoConfiguration, was: SsoConfiguration | undefined) =>
  oidc && oidc.client_secret !== was?.oidc?.client_secret
    ? [{ path: 'oidc.client_secret', ...(was?.oidc && { before: '***' }), after: '***' }]
    : []
