// What somebody who writes to the table without the service does not get: to come in as somebody else.
import { PasskeysCredentialsMemoryRepository } from 'nid-webauthn-emulator'
import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { sso } from '../../../functions/sso/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { deploymentSecret } from '../../../shared/base/aws/deployment-secret.ts'
import { apiKeys, digestOf } from '../../../shared/identity/access/api-key.ts'
import { hashOf } from '../../../shared/identity/access/one-time.ts'
import { emailHash, emails, users } from '../../../shared/identity/accounts/user.ts'
import { factors, recoveryCodes } from '../../../shared/identity/mfa/factor.ts'
import { pendings } from '../../../shared/identity/mfa/pending.ts'
import { oauthClients } from '../../../shared/identity/oauth/clients/client.ts'
import { sessions } from '../../../shared/identity/sessions/session.ts'
import { caller } from '../../support/call.ts'
import { enrolPasskey, enrolTotp, newEmulator } from '../../support/factors.ts'
import { alarms, type Item, plant, steal, tamper } from '../../support/insider.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { newClient } from '../../support/oauth.ts'
import { logIn, type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let anna: SignedIn
let person: { tenant_id: string; user_id: string }
beforeEach(async () => {
  acme = await local.tenant()
  anna = await signIn(local, acme.owner)
  person = { tenant_id: acme.tenant_id, user_id: anna.user_id }
})

const verify = async (code: string, mfa_token?: string) => {
  const token = mfa_token ?? (await logIn(local, acme.owner)).body.mfa_token
  return local.call(mfa.verify, { body: { mfa_token: token, method: 'recovery_code', code } })
}

describe('in the table, without the service, nobody signs in as somebody else', () => {
  const elsewhere = ({ id, sk }: Item) => ({ id: `${String(id)}X`, sk: `${String(sk)}X` })

  test.for([
    [
      'in the place of hers',
      (hers: Item, { credential_id, public_key }: Item) => ({ ...hers, credential_id, public_key }),
    ],
    ['beside hers', (hers: Item, other: Item) => ({ ...other, ...elsewhere(hers) })],
    ['without a mark', (hers: Item, { _mac, ...other }: Item) => ({ ...other, ...elsewhere(hers) })],
  ] as const)('by a passkey %s', async ([, forge]) => {
    const emulator = newEmulator({ credentialsRepository: new PasskeysCredentialsMemoryRepository() })
    const { body: hers } = await enrolPasskey(anna, newEmulator(), local.appUrl)
    const { body: other } = await enrolPasskey(anna, emulator, local.appUrl)
    const rowOf = ({ id }: { id: string }) => steal(factors.key({ ...person, id }))
    const forged = forge(await rowOf(hers), await rowOf(other))
    await anna.call(mfa.removeFactor, { params: { factor_id: other.id } })
    const raised = alarms()
    await plant(forged)

    const { options } = (await local.call(auth.passkeyOptions, { body: {} })).body
    const credential = emulator.getJSON(local.appUrl, options)
    expect(await local.call(auth.signInWithPasskey, { body: { credential } })).toMatchObject({ status: 401 })
    expect(raised).toContain('row_forged')
    const ids = (await anna.call(mfa.get)).body.factors.map(({ id }: { id: string }) => id)
    expect(ids).not.toContain(`${hers.id}X`)
  })

  test('by a recovery code that was used', async () => {
    await enrolTotp(local, anna)
    const { codes } = (await anna.call(mfa.createRecoveryCodes, { body: {} })).body
    const at = recoveryCodes.key(person)
    const { codes: unused } = await steal(at)
    expect((await verify(codes[0])).status).toBe(200)
    await tamper(at, { codes: unused })
    expect((await verify(codes[0])).status).toBe(401)
  })

  test('by the second factor of another account', async () => {
    const [owner, approver] = [await logIn(local, acme.owner), await signIn(local, acme.approver)]
    expect(owner.status).toBe(200)
    await enrolTotp(local, anna)
    await enrolTotp(local, approver)
    const { codes } = (await approver.call(mfa.createRecoveryCodes, { body: {} })).body
    const { mfa_token } = (await logIn(local, acme.owner)).body
    await tamper(pendings.key({ hash: hashOf(mfa_token) }), { user_id: approver.user_id })
    expect(await verify(codes[0], mfa_token)).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('link or token is invalid') },
    })
  })

  const soon = () => local.clock.now() + 60_000

  test('by a link for a new password', async () => {
    const hash = hashOf('known')
    const { email } = acme.owner
    const says = { hash, purpose: 'password_reset', ...person, email, epoch: 0, expires_at: soon() }
    await plant({ pk: `LINK#${hash}`, sk: 'LINK', _type: 'LINK', _v: 1, ...says })
    const body = { token: 'known', password: 'a password that the insider knows' }
    expect((await local.call(auth.resetPassword, { body })).status).toBe(401)
  })

  test('by a refresh token of their own', async () => {
    const { claims } = anna
    const secret = 'x'.repeat(43)
    await tamper(sessions.key({ sid: claims.origin_jti }), { rt: hashOf(secret) })
    const body = { refresh_token: `rt_${claims.origin_jti}.${secret}` }
    expect((await local.call(auth.refresh, { body })).status).toBe(401)
  })

  test('by an address that names another account', async () => {
    const [hers, theirs] = [acme.owner, acme.approver].map(({ email }) =>
      emails.key({ tenant_id: acme.tenant_id, email_hash: emailHash(email) }),
    )
    if (hers && theirs) await tamper(theirs, { user_id: anna.user_id })
    expect((await logIn(local, acme.approver)).status).toBe(401)
  })

  test('by a code of single sign-on', async () => {
    const hash = hashOf('known')
    const says = { hash, ...person, amr: ['sso', 'mfa'], trusted_mfa: true, expires_at: soon() }
    await plant({ pk: `SSOCODE#${hash}`, sk: 'SSOCODE', _type: 'SSOCODE', _v: 1, ...says })
    expect((await local.call(sso.token, { body: { code: 'known' } })).status).toBe(401)
  })
})

describe('in the table, without the service, nobody gets rights', () => {
  test('of another role, or without the second factor of an account', async () => {
    const at = users.key({ tenant_id: acme.tenant_id, id: acme.approver.id })
    const approver = await signIn(local, acme.approver)
    expect((await approver.call(auth.me)).status).toBe(200)
    const raised = alarms()
    await tamper(at, { roles: ['owner'] })
    expect((await approver.call(auth.me)).status).toBe(401)
    expect((await logIn(local, acme.approver)).status).toBe(401)
    expect(raised).toContain('row_forged')

    await enrolTotp(local, anna)
    await tamper(users.key({ tenant_id: acme.tenant_id, id: anna.user_id }), { mfa_enrolled: false })
    expect((await logIn(local, acme.owner)).status).toBe(401)
  })

  test('of another tenant, by a key of their own', async () => {
    const { live_key: key } = await local.tenant()
    const { pepper } = await deploymentSecret()
    const open = () => caller(local, key)(tenants.get, { params: { tenant_id: acme.tenant_id } })
    await tamper(apiKeys.key({ digest: digestOf(pepper.value, key) }), {
      tenant_id: acme.tenant_id,
      created_by: anna.user_id,
    })
    expect((await open()).status).toBe(401)
  })

  test('by a client of OAuth that leads elsewhere', async () => {
    const { client_id } = await newClient(acme)
    const redirect_uri = 'https://evil.example/'
    await tamper(oauthClients.key({ client_id }), { redirect_uris: [redirect_uri] })
    const query = { client_id, redirect_uri, response_type: 'code', scope: 'openid', code_challenge: 'c'.repeat(43) }
    const reply = await local.call(oauth.authorize, { query: { ...query, code_challenge_method: 'S256' } })
    expect(reply.status).toBeGreaterThanOrEqual(400)
    expect(reply.headers.location).toBeUndefined()
  })
})
