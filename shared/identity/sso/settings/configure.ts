// Stores a tenant's single sign-on configuration, after all checks of its settings.
import { givenRoles, mustBeAllowedToGiveRoles } from '../../access/roles.ts'
import { mustBeInPerson } from '../../access/assurance.ts'
import { changed } from '../../../ledger/audit/changed.ts'
import { differences } from '../../../ledger/audit/differences.ts'
import type { Context } from '../../../base/context.ts'
import { verifiedDomain } from '../../domains/domain.ts'
import { mustBeCurrent } from '../../../base/wire/etag.ts'
import { iso } from '../../../base/lib/clock.ts'
import { conflict, invalid } from '../../../base/lib/failure.ts'
import { mailToOwners } from '../../access/outrank.ts'
import { redirectUriProblem } from '../../../base/lib/redirect-uri.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { mustHaveFeature } from '../../../base/tenant/retention.ts'
import { tenantOf } from '../../../base/tenant/find.ts'
import { configurationRaced, type OidcSettings, type SsoConfiguration, ssoConfigurations } from './configuration.ts'
import type { SsoFields } from './fields.ts'
import { rolesOfConfiguration } from '../roles.ts'
import { settleLater, settleRoles } from '../settle-roles.ts'
import { samlSettings } from './saml-settings.ts'
import { encryptionKeys, newSpKey } from './encryption-keys.ts'
import { mustDecideOnSso } from './delete-configuration.ts'
import { FIELDS, ssoView } from './view.ts'
import { clientSecretSeal, privateKeySeal } from './secrets.ts'
import { refusalOfTarget } from '../../../base/lib/safe-http.ts'

/**
 * Replaces the whole configuration, with a mail to the owners. The service provider's key and certificate stay, since the provider has
 * that certificate. Throws 403 unless an owner does it in person; 422 for settings that cannot be used; 409 for a domain that is not
 * verified, and for a version that is no longer current. Roles that the former configuration gave are taken away afterwards; the
 * sweeper finishes that after a crash.
 */
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

/** Throws 422 for the role owner, for a group that is listed twice, and for groups without the attribute that names them. */
function mustMapSoundly({ default_roles, group_attribute, role_mappings, roles_authoritative }: SsoFields): void {
  const owner = 'Single sign-on cannot give the role owner. Leave it out.'
  if (default_roles.includes('owner')) throw invalid(['default_roles'], owner)
  const groups = new Set<string>()
  for (const [index, { group, role_ids }] of role_mappings.entries()) {
    if (role_ids.includes('owner')) throw invalid(['role_mappings', index, 'role_ids'], owner)
    if (groups.has(group))
      throw invalid(['role_mappings', index, 'group'], 'This group is listed before. Put all its roles in one entry.')
    groups.add(group)
  }
  if (group_attribute === undefined && (role_mappings.length > 0 || roles_authoritative))
    throw invalid(
      ['group_attribute'],
      'Roles by group need the name of the attribute or claim in which the provider names the groups. Add it.',
      'missing',
    )
}

/** Issuers of all organisations together. Anybody could create an account with any address there. */
const SHARED = /\{|^https:\/\/[^/]+\/(common|organizations|consumers)(\/|$)/i

/** The stored settings of an OpenID provider. Throws 422 for an issuer that must not be called or that many organisations share. */
async function oidcSettings(
  tenant_id: string,
  given: SsoFields['oidc'],
  was: SsoConfiguration | undefined,
): Promise<OidcSettings> {
  if (!given) throw invalid(['oidc'], 'The protocol oidc needs these settings. Add them.', 'missing')
  const { issuer, client_id, client_secret } = given
  const refuse = (why: string) => invalid(['oidc', 'issuer'], why)
  const url = URL.parse(issuer)
  if (!url || url.search !== '' || url.hash !== '') throw refuse('The issuer must be a URL without query and fragment.')
  if (SHARED.test(issuer)) throw refuse('This issuer is shared by many organisations. Use the issuer of yours.')
  const refusal = await refusalOfTarget(issuer)
  if (refusal) throw refuse(refusal)
  const isSame = was?.oidc?.issuer === issuer && was.oidc.client_id === client_id
  const kept = isSame ? was.oidc?.client_secret : undefined
  const secret = client_secret === undefined ? kept : await clientSecretSeal.seal({ tenant_id }, client_secret)
  if (secret === undefined)
    throw invalid(['oidc', 'client_secret'], 'A new issuer or client_id needs its client_secret. Add it.', 'missing')
  return { issuer, client_id, client_secret: secret }
}
