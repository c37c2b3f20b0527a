import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { users as people } from '../../../functions/users/routes.ts'
import { openTable } from '../../../shared/base/context.ts'
import { claims } from '../../../shared/identity/domains/domain.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { ssoConfigurations } from '../../../shared/identity/sso/settings/configuration.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { mailsTo, tokenFor } from '../../support/mailbox.ts'
import { logIn, signIn } from '../../support/sign-in.ts'
import { enrolPasskey, newEmulator } from '../../support/factors.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let member: string
let domain: string
beforeEach(async () => {
  acme = await local.tenant()
  domain = acme.owner.email.slice(acme.owner.email.indexOf('@') + 1)
  member = `mia@${domain}`
  await join(acme, member)
  await enforce()
})

/** Invites an address and accepts for it. */
async function join(tenant: TestTenant, email: string): Promise<void> {
  const { call } = await signIn(local, tenant.owner)
  await call(people.invite, { body: { email, roles: ['member'] } })
  await local.call(auth.resetPassword, {
    body: { token: await tokenFor(local, email, 'invitation'), password: PASSWORD },
  })
}

/** As the endpoints of domains and single sign-on would have left it. */
async function enforce(over: object = {}): Promise<void> {
  const at = iso(local.clock.now())
  const { tenant_id } = acme
  await openTable().commit([
    claims.insert({
      domain,
      tenant_id,
      status: 'verified',
      verified_at: at,
      checked_at: at,
      misses: 0,
      due: '2026-12-01',
    }),
    ssoConfigurations.insert({
      tenant_id,
      protocol: 'saml',
      enabled: true,
      enforce: true,
      domains: [domain],
      jit: true,
      default_roles: ['member'],
      role_mappings: [],
      roles_authoritative: false,
      trust_idp_mfa: false,
      login_redirect_uris: [],
      attribute_map: {},
      sp: { certificate: '', private_key: '' },
      created_at: at,
      updated_at: at,
      ...over,
    }),
  ])
}

const elsewhere = () => ({
  status: 403,
  body: {
    code: 'forbidden',
    detail: 'You cannot sign in with a password here. Sign in through the identity provider of your organisation.',
    sso_url: `${local.apiUrl}/auth/sso/start?tenant=${acme.tenant_id}`,
    request_id: expect.any(String),
  },
})

describe('where single sign-on is enforced', () => {
  test('403: every address of the domain is sent there, right or wrong, known or not', async () => {
    for (const attempt of [
      { email: member },
      { email: member, password: 'wrong password' },
      { email: `nobody@${domain}` },
      { email: acme.owner.email, password: 'wrong password' },
    ]) {
      const { status, body } = await logIn(local, attempt)
      expect({ status, body }, JSON.stringify(attempt)).toEqual(elsewhere())
    }
  })

  test('403: a passkey of a member does not stand in for the provider', async () => {
    acme = await local.tenant()
    domain = acme.owner.email.slice(acme.owner.email.indexOf('@') + 1)
    member = `mia@${domain}`
    await join(acme, member)
    const emulator = newEmulator()
    await enrolPasskey(await signIn(local, { email: member }), emulator, local.appUrl)
    await enforce()

    const asked = (await local.call(auth.passkeyOptions, { body: {} })).body.options
    const credential = emulator.getJSON(local.appUrl, asked)
    const { status, body } = await local.call(auth.signInWithPasskey, { body: { credential } })
    expect({ status, sso_url: body.sso_url }).toEqual({ status: 403, sso_url: elsewhere().body.sso_url })
  })

  test('200: an owner gets in, and every owner and administrator hears of it', async () => {
    expect((await logIn(local, acme.owner)).status).toBe(200)

    expect((await mailsTo(local, acme.owner.email)).map(({ kind }) => kind)).toContain('security_alert')
  })

  test('200: accounts of the same address in other tenants are not affected', async () => {
    const other = await local.tenant()
    await join(other, member)

    expect((await logIn(local, { email: member, tenant_id: other.tenant_id })).body.user.tenant_id).toBe(
      other.tenant_id,
    )
  })

  test('200: other domains are not affected', async () => {
    expect((await logIn(local, (await local.tenant()).approver)).status).toBe(200)
  })
})
