// The way of two people who have never seen the service: from registering to tokens of an OAuth client, and what of it is
// left after the service was killed. They have its addresses, their mails, and nothing else.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '../support/browser.ts'
import { authorizationRequest, CODE_CLIENT, discovered, exchange } from '../support/oauth.ts'
import { codeFrom } from './actors/authenticator-app.ts'
import { mailTo } from './actors/mailbox.ts'
import { ask, type Service, startService } from './service.ts'

const data = mkdtempSync(join(tmpdir(), 'countersign-identity-'))

const ADA = { email: 'ada@engines.example', password: 'note G, all of it' }
const BEN = { email: 'ben@engines.example', password: 'the second of two' }

type Tokens = { access_token: string; refresh_token: string; user: { id: string; tenant_id: string; roles: string[] } }

type Entry = { actor: { type: string; id: string }; action: string; outcome: string }

const VALID = { chain_valid: true, broken_links: 0, signature_status: 'all_verified' }

/** That somebody reads the log is in it, too, perhaps already in what they read. */
const READING = 'Ada audit_log.read success'

/** What the audit log says, and nothing else. */
const STORY = [
  'Ada tenant.created success',
  'Ada user.created success',
  'Ada user.email_verified success',
  'Ada session.started success',
  'Ada user.invited success',
  'Ben user.created success',
  'Ben session.started success',
  'Ada api_key.created success',
  'api_key keys.create denied',
  'Ada api_key.rotated success',
  'Ada api_key.revoked success',
  'Ben users.list denied',
  'Ada user.roles_changed success',
  'Ada mfa.enabled success',
  'Ada mfa.recovery_codes_created success',
  'Ada mfa.verify failure',
  'Ada oauth_client.created success',
  'system anomaly.detected success',
  'Ada mfa.recovery_code_used success',
  'Ada oauth_grant.created success',
  'Ada evidence.verify denied',
]

describe('two people', () => {
  let service: Service
  let ada: Tokens
  let ben: Tokens
  let key: { id: string; key: string }
  let recoveryCodes: string[]
  let client: { client_id: string }
  let granted: oauth.TokenEndpointResponse

  const call = (method: string, path: string, credential?: string, body?: object) =>
    ask(method, service.credentials.api_url + path, credential, body)
  const logs = () => `/api/v1/security/tenants/${ada.user.tenant_id}/audit-logs`
  const verify = () => call('GET', '/api/evidence/verify', ada.access_token)

  beforeAll(async () => {
    service = await startService(data)
  })
  afterAll(async () => {
    await service?.process.kill()
    rmSync(data, { recursive: true })
  })

  test('the first registers, confirms her address by the link in the mail, and signs in', async () => {
    const registered = await call('POST', '/api/v1/auth/register', undefined, {
      ...ADA,
      name: 'Ada',
      tenant_name: 'Engines',
    })
    expect(registered).toMatchObject({ status: 201, body: { user: { email_verified: false }, verification: 'sent' } })
    const { links } = await mailTo(data, ADA.email, 'verify_email')

    const browser = new Browser(service.credentials.api_url)
    const confirmed = await browser.submit(await browser.open(links[0] ?? ''), { password: ADA.password })
    const signedIn = await call('POST', '/api/v1/auth/login', undefined, ADA)

    expect(confirmed).toMatchObject({ status: 200, text: expect.stringContaining(`${ADA.email} is yours`) })
    expect(signedIn).toMatchObject({ status: 200, body: { token_type: 'Bearer', user: { roles: ['owner'] } } })
    ada = signedIn.body
    const me = await call('GET', '/api/v1/auth/me', ada.access_token)
    expect(me.body).toMatchObject({ email_verified: true, tenant: { name: 'Engines', plan: 'free' } })
  })

  test('she invites a second person, who joins by the page behind the link', async () => {
    const invitation = { email: BEN.email, roles: ['operator'] }
    expect((await call('POST', '/api/v1/users', ada.access_token, invitation)).status).toBe(201)
    const { subject, links } = await mailTo(data, BEN.email, 'invitation')
    expect(subject).toBe('Invitation to Engines')

    const browser = new Browser(service.credentials.app_url)
    const page = await browser.open(links[0] ?? '')
    const { password } = BEN
    const joined = await browser.submit(page, { name: 'Ben', password, repeated: password })

    expect(joined).toMatchObject({ status: 200, text: expect.stringContaining('Your password is set') })
    const signedIn = await call('POST', '/api/v1/auth/login', undefined, BEN)
    expect(signedIn).toMatchObject({ status: 200, body: { user: { name: 'Ben', roles: ['operator'] } } })
    ben = signedIn.body
    expect((await browser.open(links[0] ?? '')).status, 'the link is used up').toBe(401)
  })

  test('a key works at once, its successor beside it, and none after it was revoked', async () => {
    const wanted = { name: 'Nightly', kind: 'live', scopes: ['governance:read'] }
    const read = (secret: string) => call('GET', '/api/v1/protocol/manifest', secret)
    const made = await call('POST', '/api/v1/api-keys', ada.access_token, wanted)
    expect(made).toMatchObject({ status: 201, body: { key: expect.stringMatching(/^ak_live_/) } })
    expect((await read(made.body.key)).status).toBe(200)
    const more = { ...wanted, name: 'More' }
    expect((await call('POST', '/api/v1/api-keys', made.body.key, more)).status, 'keys make no keys').toBe(403)

    const rotated = await call('POST', `/api/v1/api-keys/${made.body.id}/rotate`, ada.access_token)
    expect(rotated).toMatchObject({ status: 201, body: { replaces: made.body.id } })
    key = rotated.body
    expect((await read(made.body.key)).status).toBe(200)
    expect((await call('POST', `/api/v1/api-keys/${made.body.id}/revoke`, ada.access_token)).status).toBe(200)

    expect((await read(made.body.key)).status).toBe(401)
    expect((await read(key.key)).status).toBe(200)
  })

  test('other roles count from the next request on, with the token that was given before', async () => {
    const look = async () => (await call('GET', '/api/v1/users', ben.access_token)).status
    const give = async (roles: string[]) =>
      (await call('PUT', `/api/v1/users/${ben.user.id}/roles`, ada.access_token, { roles })).status

    expect([await look(), await give(['auditor']), await look(), await give(['operator']), await look()]).toEqual([
      403, 200, 200, 200, 403,
    ])
  })

  test('a second factor, once there, is asked for at the next sign-in', async () => {
    const begun = await call('POST', '/api/v1/auth/mfa/totp', ada.access_token)
    const { factor_id, otpauth_uri } = begun.body
    const code = codeFrom(otpauth_uri)
    expect((await call('POST', '/api/v1/auth/mfa/totp/confirm', ada.access_token, { factor_id, code })).status).toBe(
      200,
    )
    const codes = await call('POST', '/api/v1/auth/mfa/recovery-codes', ada.access_token)
    recoveryCodes = codes.body.codes
    expect((await mailTo(data, ADA.email, 'mfa_changed')).text).toContain('Engines')

    const half = await call('POST', '/api/v1/auth/login', undefined, ADA)
    expect(half.body).toMatchObject({ mfa_required: true, methods: expect.arrayContaining(['totp', 'recovery_code']) })
    expect(half.body).not.toHaveProperty('access_token')
    const show = (shown: string) =>
      call('POST', '/api/v1/auth/mfa/verify', undefined, {
        mfa_token: half.body.mfa_token,
        method: 'totp',
        code: shown,
      })
    expect((await show(code)).status, 'a code works once').toBe(401)
    const whole = await show(codeFrom(otpauth_uri, 1))

    expect(whole).toMatchObject({ status: 200, body: { access_token: expect.any(String) } })
    ada = whole.body
  })

  test('a client gets tokens by the pages on which she signs in and agrees', async () => {
    const made = await call('POST', '/api/v1/oauth/clients', ada.access_token, CODE_CLIENT)
    expect(made.status).toBe(201)
    client = made.body
    const config = await discovered({ appUrl: service.credentials.app_url }, client)
    const asked = await authorizationRequest(config)
    const browser = new Browser(service.credentials.app_url)

    const signIn = await browser.open(asked.url.href)
    expect(signIn.text).toContain('to continue to Reporter')
    const second = await browser.press(signIn, 'password', ADA)
    const consent = await browser.press(second, 'code', { code: recoveryCodes[0] ?? '' })
    expect(consent.text).toContain('keep this access while you are away')
    const back = await browser.press(consent, 'allow')
    granted = await exchange(config, back, asked)

    const info = await oauth.fetchUserInfo(config, granted.access_token, ada.user.id)
    expect(info).toMatchObject({ sub: ada.user.id, email: ADA.email, email_verified: true, name: 'Ada' })
    expect((await call('GET', '/api/v1/protocol/manifest', granted.access_token)).status).toBe(200)
    const beyond = await call('GET', '/api/evidence/verify', granted.access_token)
    expect(beyond.status, 'not among the scopes').toBe(403)
    granted = await oauth.refreshTokenGrant(config, granted.refresh_token ?? '')
    expect((await call('GET', '/api/v1/protocol/manifest', granted.access_token)).status).toBe(200)
  })

  test('the audit log shows who did all that, without a secret, and the evidence verifies', async () => {
    const { status, body } = await call('GET', `${logs()}?order=asc&limit=200`, ada.access_token)
    expect(status).toBe(200)

    const names = new Map([
      [ada.user.id, 'Ada'],
      [ben.user.id, 'Ben'],
    ])
    const told = (body.items as Entry[]).map(
      ({ actor, action, outcome }) => `${names.get(actor.id) ?? actor.type} ${action} ${outcome}`,
    )
    expect(new Set([...told, READING])).toEqual(new Set([...STORY, READING]))
    for (const secret of [ADA.password, BEN.password, key.key, ada.access_token, ...recoveryCodes]) {
      expect(JSON.stringify(body)).not.toContain(secret)
    }
    expect((await verify()).body).toMatchObject(VALID)
  })

  test('killed and started again, it knows all of them still', async () => {
    const before = await verify()

    await service.process.kill('SIGKILL')
    service = await startService(data, service.credentials)

    expect((await call('GET', '/api/v1/auth/me', ada.access_token)).status).toBe(200)
    const renewed = await call('POST', '/api/v1/auth/refresh', undefined, { refresh_token: ben.refresh_token })
    expect(renewed.status).toBe(200)
    expect((await call('GET', '/api/v1/auth/me', renewed.body.access_token)).status).toBe(200)
    expect((await call('GET', '/api/v1/protocol/manifest', key.key)).status).toBe(200)
    const config = await discovered({ appUrl: service.credentials.app_url }, client)
    const next = await oauth.refreshTokenGrant(config, granted.refresh_token ?? '')
    expect((await call('GET', '/api/v1/protocol/manifest', next.access_token)).status).toBe(200)
    const after = await verify()
    expect(after.body).toMatchObject(VALID)
    expect(after.body.total_artifacts).toBeGreaterThanOrEqual(before.body.total_artifacts)
  })
})
