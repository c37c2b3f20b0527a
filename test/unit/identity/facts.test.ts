import { beforeEach, describe, expect, test } from 'vitest'
import type { Claim } from '../../../shared/identity/domains/domain.ts'
import { claims, tenantDomains } from '../../../shared/identity/domains/domain.ts'
import { identityFacts } from '../../../shared/identity/compliance-facts.ts'
import { firstId } from '../../../shared/base/lib/ids.ts'
import { coversEverybody } from '../../../shared/identity/access/allowlist.ts'
import { type Passkey, factors } from '../../../shared/identity/mfa/factor.ts'
import { securityEvents } from '../../../shared/identity/security-events/security-event.ts'
import { type SsoConfiguration, ssoConfigurations } from '../../../shared/identity/sso/settings/configuration.ts'
import { kmsSettings } from '../../../shared/ledger/sealing/wrapped-key.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { accountIn } from '../../support/person.ts'
import { type Deployment, deploy } from '../edge/deployment.ts'

const DAY = 86_400_000
/** Of the tenant; the clock moves with each look. */
const NOW = Date.UTC(2026, 10, 20, 22, 38)
let it: Deployment
beforeEach(async () => {
  it = await deploy()
})

const ask = () => ({ ctx: it.ctx, now: NOW, since: NOW - 90 * DAY })
const ago = (days: number) => iso(NOW - days * DAY)
const people = async () => Object.fromEntries((await identityFacts.users(ask())).map((user) => [user.id, user]))

const passkey = (user_id: string, over: Partial<Passkey> = {}) =>
  factors.insert({
    tenant_id: it.space.tenant_id,
    user_id,
    id: 'mfa_1',
    name: 'Laptop',
    created_at: ago(1),
    last_used_at: null,
    type: 'webauthn',
    credential_id: 'c',
    public_key: 'k',
    counter: 0,
    transports: [],
    synced: false,
    ...over,
  })

describe('facts about people', () => {
  test('an administrator has a factor only when a confirmed one is stored, and not by what the account says', async () => {
    const marked = { mfa_enrolled: true }
    for (const id of ['real', 'begun', 'none']) await accountIn(it.space, ['admin'], { id, ...marked })
    await accountIn(it.space, ['member'], { id: 'member', ...marked })
    await it.ctx.table.commit([passkey('real'), passkey('begun', { expires_at: NOW + 60_000 })])

    expect(await people()).toMatchObject({
      real: { privileged: true, has_factor: true },
      begun: { has_factor: false },
      none: { has_factor: false },
      member: { privileged: false, has_factor: true },
    })
  })

  test('a denied permission, or one from a group, counts for who administers', async () => {
    await accountIn(it.space, [], { id: 'group', group_roles: ['admin'] })
    await accountIn(it.space, [], { id: 'granted', grants: ['roles:write'] })
    const denies = ['users:write', 'roles:write', 'policies:write', 'tenant:security'] as const
    await accountIn(it.space, ['admin'], { id: 'denied', denies: [...denies] })

    expect(await people()).toMatchObject({
      group: { privileged: true },
      granted: { privileged: true },
      denied: { privileged: false },
    })
  })

  test('under enforced SSO people of its domains cannot sign in otherwise; owners and other domains can', async () => {
    await accountIn(it.space, ['member'], { id: 'in', email: 'in@Acme.example' })
    await accountIn(it.space, ['member'], { id: 'out', email: 'out@other.example' })
    await accountIn(it.space, ['owner'], { id: 'boss', email: 'boss@acme.example' })
    await it.ctx.table.commit([ssoConfigurations.insert(sso()), claims.insert(claim('acme.example'))])

    expect(await people()).toMatchObject({
      in: { sso_only: true },
      out: { sso_only: false },
      boss: { sso_only: false },
    })
  })
})

const sso = (over: Partial<SsoConfiguration> = {}): SsoConfiguration => ({
  tenant_id: it.space.tenant_id,
  protocol: 'oidc',
  enabled: true,
  enforce: true,
  domains: ['acme.example'],
  jit: true,
  default_roles: ['member'],
  role_mappings: [],
  roles_authoritative: false,
  trust_idp_mfa: true,
  login_redirect_uris: [],
  attribute_map: {},
  oidc: { issuer: 'https://idp.example', client_id: 'c', client_secret: '' },
  sp: { certificate: '', private_key: '' },
  created_at: ago(1),
  updated_at: ago(1),
  ...over,
})

const claim = (domain: string, over: Partial<Claim> = {}): Claim => ({
  domain,
  tenant_id: it.space.tenant_id,
  status: 'verified',
  verified_at: ago(1),
  checked_at: ago(0),
  misses: 0,
  due: '9999-01-01',
  ...over,
})
const asked = (domain: string) =>
  tenantDomains.insert({
    tenant_id: 'ten_1',
    domain,
    token: 't',
    requested_at: ago(2),
    expires_at: ago(-5),
    forget: false,
  })

describe('facts about settings', () => {
  test('a domain that SSO does not name, or that has lapsed, does not count', async () => {
    await it.ctx.table.commit([
      ssoConfigurations.insert(sso({ domains: ['acme.example', 'lapsed.example'] })),
      ...['acme.example', 'lapsed.example', 'other.example'].map(asked),
      claims.insert(claim('acme.example')),
      claims.insert(claim('lapsed.example', { status: 'lapsed' })),
      claims.insert(claim('other.example')),
    ])

    expect((await identityFacts.settings(ask())).sso).toEqual({
      offered: true,
      configured: true,
      verified_domains: 1,
      urls: ['https://idp.example'],
    })
  })

  test('without configuration and policies everything is off', async () => {
    expect(await identityFacts.settings(ask())).toMatchObject({
      mfa_required: false,
      idle_s: 0,
      allowlist: { offered: false, rules: 0, open: false },
      sso: { configured: false, urls: [] },
    })
  })

  test.each([
    [['0.0.0.0/0'], true],
    [['::/0'], true],
    [['0.0.0.0/1', '128.0.0.0/1'], true],
    [['0.0.0.0/1', '128.0.0.0/2', '192.0.0.0/2', '10.0.0.0/8'], true],
    [['0.0.0.0/1', '128.0.0.0/2'], false],
    [['203.0.113.0/24', '2001:db8::/32'], false],
    [[], false],
  ])('an allowlist of %j lets everybody in: %j', (cidrs, open) => {
    expect(coversEverybody(cidrs)).toBe(open)
  })
})

describe('facts about credentials and keys', () => {
  test('keys are those of the mode that still work, however old the service believes them to be', async () => {
    await it.key({ id: 'live' })
    await it.key({ id: 'sandbox', kind: 'test' })
    await it.key({ id: 'revoked', revoked_at: ago(1) })
    await it.key({ id: 'expired', created_at: ago(60), expires_at: ago(1) })
    await it.key({ id: 'forged', created_at: ago(400), expires_at: ago(-400) })

    expect((await identityFacts.keys(ask())).map(({ id }) => id).toSorted()).toEqual(['forged', 'live'])
  })

  test('a customer’s key is what the sweeper found it to be', async () => {
    const settings = {
      tenant_id: it.space.tenant_id,
      key_arn: 'arn:aws:kms:eu-west-1:111111111111:key/k',
      status: 'unavailable' as const,
      last_checked_at: ago(0),
      rewrap: { status: 'done' as const, done: 0, total: 0 },
      next_at: ago(-1),
    }
    await it.ctx.table.commit([kmsSettings.insert(settings)])

    expect(await identityFacts.kms(ask())).toEqual({ managed_by: 'customer', state: 'Unavailable', rotates: null })
  })

  test('security events are the grave ones of the window, for both modes the same', async () => {
    const event = (days: number, severity: 'low' | 'high') =>
      securityEvents.insert({
        tenant_id: it.space.tenant_id,
        id: firstId('sev', NOW - days * DAY),
        type: 'brute_force',
        severity,
        at: ago(days),
        user_id: null,
        ip: '203.0.113.9',
        country: null,
        action_taken: `after ${days}`,
        details: {},
      })
    await it.ctx.table.commit([event(1, 'high'), event(2, 'low'), event(40, 'high'), event(100, 'high')])
    const sandbox = { ...ask(), ctx: { ...it.ctx, space: { ...it.space, mode: 'test' as const } } }

    const found = await identityFacts.security_events(ask())

    expect(found.map(({ action_taken }) => action_taken).toSorted()).toEqual(['after 1', 'after 40'])
    expect(await identityFacts.security_events(sandbox)).toEqual(found)
  })
})
