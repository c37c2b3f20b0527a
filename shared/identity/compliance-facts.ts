// The facts about identity that compliance checks ask for: keys, encryption, security events, people and settings of a tenant.
import type {
  FactAsk,
  FactSources,
  KeyFact,
  KmsFacts,
  SecurityEventFact,
  SettingsFacts,
  UserFact,
} from '../base/ports/check-facts.ts'
import { wholeRange } from '../base/table/whole.ts'
import { apiKeys, keysPartition, statusOf } from './access/api-key.ts'
import { env } from '../base/lib/runtime.ts'
import { kmsSettings } from '../ledger/sealing/wrapped-key.ts'
import { firstId } from '../base/lib/ids.ts'
import { monthsBack } from '../base/lib/days.ts'
import { securityEvents, securityEventsPartition } from './security-events/security-event.ts'
import type { Permission } from '../base/catalog/permissions.ts'
import { inParallel } from '../base/lib/in-parallel.ts'
import { freshCustomRoles, permissionsOfUser } from './access/permissions.ts'
import { type User, users as people, usersPartition } from './accounts/user.ts'
import { factorsOf } from './mfa/factor.ts'
import { mailHost } from '../base/lib/mailbox.ts'
import { enforcedDomains } from './sign-in/enforced-sso.ts'
import { hasFeature } from '../base/tenant/retention.ts'
import { freshTenant } from '../base/tenant/find.ts'
import { coversEverybody } from './access/allowlist.ts'
import { verifiedDomains } from './domains/verified.ts'
import { type SsoConfiguration, ssoConfigurations } from './sso/settings/configuration.ts'

const KEYS_MAX = 20_000
const SECURITY_EVENTS_MAX = 50_000
const PEOPLE_MAX = 50_000

/** All keys are read, also those that should have ended: one of them may still be active. */
async function keys({ ctx, now }: FactAsk): Promise<KeyFact[]> {
  const { tenant_id, mode } = ctx.space
  const all = await wholeRange(ctx.table, apiKeys, { pk: keysPartition(tenant_id), index: 'gsi1' }, KEYS_MAX)
  return all
    .filter((key) => key.kind === mode && statusOf(key, now) === 'active')
    .map(({ id, scopes, created_at, expires_at, last_used_at }) => ({
      id,
      scopes,
      created_at,
      expires_at,
      last_used_at,
    }))
}

/** A customer's key was last tried by the sweeper, at most a day ago; the service's own is asked for now. */
async function kms({ ctx: { table, space } }: FactAsk): Promise<KmsFacts> {
  const customer = await table.get(kmsSettings, { tenant_id: space.tenant_id })
  if (customer && customer.key_arn !== null) {
    const state = customer.status === 'customer_managed' ? 'Enabled' : 'Unavailable'
    return { managed_by: 'customer', state, rotates: null }
  }
  const [{ kms: client, DescribeKeyCommand }, { GetKeyRotationStatusCommand }] = await Promise.all([
    import('../base/aws/kms.ts'),
    import('../base/aws/describe.ts'),
  ])
  const KeyId = env('SEAL_KEY_ID')
  const [described, rotation] = await Promise.all([
    client().send(new DescribeKeyCommand({ KeyId })),
    client().send(new GetKeyRotationStatusCommand({ KeyId })),
  ])
  const state = described.KeyMetadata?.KeyState ?? 'unknown'
  return { managed_by: 'service', state, rotates: rotation.KeyRotationEnabled ?? false }
}

/** People sign in to live mode, so both modes have the same. */
async function security_events({ ctx, now, since }: FactAsk): Promise<SecurityEventFact[]> {
  const { tenant_id } = ctx.space
  const from = firstId('sev', since)
  const partitions = monthsBack(now, since).map((month) => securityEventsPartition({ tenant_id, mode: 'live' }, month))
  const found = await Promise.all(
    partitions.map((pk) => wholeRange(ctx.table, securityEvents, { pk, from }, SECURITY_EVENTS_MAX)),
  )
  return found
    .flat()
    .filter(({ severity }) => severity === 'high' || severity === 'critical')
    .map(({ id, at, action_taken }) => ({ id, at, action_taken }))
}

const ADMINISTRATIVE: readonly Permission[] = ['users:write', 'roles:write', 'policies:write', 'tenant:security']

const AT_ONCE = 16

/** Who can sign in, how, and with which rights. */
async function users({ ctx: { table, space } }: FactAsk): Promise<UserFact[]> {
  const { tenant_id } = space
  const [all, roles, domains] = await Promise.all([
    wholeRange(table, people, { pk: usersPartition(tenant_id), index: 'gsi1' }, PEOPLE_MAX),
    freshCustomRoles(table, tenant_id),
    enforcedDomains(table, tenant_id),
  ])
  const isPrivileged = (user: User) => {
    const held = permissionsOfUser(user, roles)
    return ADMINISTRATIVE.some((permission) => held.has(permission))
  }
  const here = all.filter(({ status }) => status !== 'deleted') // the index may lag behind
  return inParallel(AT_ONCE, here, async (user) => {
    const { id, status, email, created_at, last_login_at } = user
    const owner = user.roles.includes('owner')
    const privileged = isPrivileged(user)
    // Of administrators the factors themselves count, of others what the account says of them.
    const has_factor = privileged ? (await factorsOf(table, user)).length > 0 : user.mfa_enrolled
    const sso_only = !owner && email !== null && domains.includes(mailHost(email))
    return { id, status, owner, privileged, has_factor, sso_only, created_at, last_login_at }
  })
}

async function settings({ ctx: { table, space } }: FactAsk): Promise<SettingsFacts> {
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

export const identityFacts = { keys, kms, security_events, settings, users } satisfies Partial<FactSources>
