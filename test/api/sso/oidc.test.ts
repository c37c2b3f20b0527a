import { createHash } from 'node:crypto'
import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { sso } from '../../../functions/sso/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { auditEntries, auditPartition } from '../../../shared/ledger/audit/entry.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { downgrade } from '../../support/downgrade.ts'
import { ownerInPerson, signedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { oidcBody, type OidcTenant, oidcTenant, type Provider, startProvider } from './oidc-idp.ts'
import { configure, redeem } from './saml-idp.ts'

const local = useLocalStack()
let provider: Provider
let acme: OidcTenant
beforeAll(async () => {
  provider = await startProvider(local.clock.now)
})
afterAll(() => provider.stop())
beforeEach(async () => {
  provider.reset()
  acme = await oidcTenant(local, provider)
})

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Refused with a page, and nobody gets anywhere. */
function mustBeRefused(answered: Awaited<ReturnType<OidcTenant['back']>>, status = 401): void {
  expect(answered.location).toBeUndefined()
  expect(answered.status).toBe(status)
  expect(answered.text).toContain('Signing in did not work')
}

describe('GET /auth/sso/start', () => {
  test('302: goes to the provider with state, nonce and PKCE', async () => {
    const { location, cookie } = await acme.begin()

    expect(`${location.origin}${location.pathname}`).toBe(`${provider.issuer}/authorize`)
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: 'countersign',
      redirect_uri: expect.stringMatching(/\/auth\/sso\/callback$/),
      response_type: 'code',
      scope: 'openid email profile',
      state: expect.stringMatching(/^_[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(cookie).toMatch(/^sso=[\w-]{43}$/)
  })

  test('302: begun on the API host it goes on where its cookie must be', async () => {
    const { tenant_id } = acme.tenant
    const reply = await local.call(sso.start, { query: { email: `anna@${acme.domain}`, state: 'x' } })

    expect(reply.status).toBe(302)
    const location = new URL(reply.headers.location ?? '')
    expect(location.port).toBe(new URL(local.appUrl).port)
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ tenant: tenant_id, state: 'x' })
  })
})

describe('GET {app}/auth/sso/callback', () => {
  test('302: a new person gets an account and, for the code, a session; the same one again the next time', async () => {
    const first = signedIn(local, await redeem(local, (await acme.signIn({ name: 'Anna', amr: ['pwd', 'otp'] })).code))
    expect((await first.call(auth.me)).body).toMatchObject({
      email: `anna@${acme.domain}`,
      name: 'Anna',
      roles: ['member'],
      session: { amr: ['sso', 'pwd', 'otp'] },
    })

    const again = signedIn(local, await redeem(local, (await acme.signIn({ name: 'Anna B.' })).code))
    expect(again.user_id).toBe(first.user_id)
    expect((await again.call(auth.me)).body.name).toBe('Anna B.')
  })

  test('302: the code goes to the provider with the verifier of its challenge, and the client proves itself', async () => {
    const { location, state, cookie } = await acme.begin()
    provider.state.claims = { email: `anna@${acme.domain}` }
    await acme.back({ code: 'x', state }, cookie)

    const token = provider.calls.find(({ path }) => path === '/token')
    const verifier = new URLSearchParams(token?.body).get('code_verifier') ?? ''
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    expect(challenge).toBe(location.searchParams.get('code_challenge'))
    expect(token?.authorization).toMatch(/^Basic /)
  })

  test('302: the client proves itself in the body where the provider reads it there', async () => {
    provider.state.metadata = { token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'] }
    expect((await acme.signIn()).status).toBe(302)

    const token = provider.calls.find(({ path }) => path === '/token')
    expect(new URLSearchParams(token?.body).get('client_secret')).toBe('the client secret')
    expect(token?.authorization).toBeUndefined()
  })

  test('302: the subject is the same person under a new address', async () => {
    const first = signedIn(local, await redeem(local, (await acme.signIn()).code))
    const email = `married@${acme.domain}`
    const again = signedIn(local, await redeem(local, (await acme.signIn({ email })).code))

    expect(again.user_id).toBe(first.user_id)
    expect((await again.call(auth.me)).body).toMatchObject({ email, email_verified: true })
  })

  test('302: after a downgrade everybody gets in as before, and only the settings are refused', async () => {
    const first = signedIn(local, await redeem(local, (await acme.signIn()).code))
    await downgrade(acme.tenant.tenant_id)

    const again = signedIn(local, await redeem(local, (await acme.signIn()).code))
    expect(again.user_id).toBe(first.user_id)
    const email = `new@${acme.domain}`
    expect((await redeem(local, (await acme.signIn({ email, sub: 'new' })).code)).status).toBe(200)

    const owner = await ownerInPerson(local, acme.tenant)
    const refused = { status: 403, body: { code: 'plan_feature' } }
    const params = { tenant_id: acme.tenant.tenant_id }
    const body = oidcBody(acme.domain, provider.issuer, { jit: false })
    expect(await owner.call(sso.configure, { params, body })).toMatchObject(refused)
    expect(await owner.call(sso.test, { params, body: {} })).toMatchObject(refused)
    expect((await owner.call(sso.delete, { params })).status).toBe(204)
  })

  test('302: an address that only userinfo names', async () => {
    provider.state.userinfo = { email: `quiet@${acme.domain}`, email_verified: true }
    const { code } = await acme.signIn({ email: undefined, email_verified: undefined })

    expect(signedIn(local, await redeem(local, code)).claims.email).toBe(`quiet@${acme.domain}`)
  })

  test('401: a state that is missing, unknown or was used', async () => {
    const { state, cookie } = await acme.begin()
    provider.state.claims = { email: `anna@${acme.domain}` }

    mustBeRefused(await acme.back({ code: 'x' }, cookie))
    mustBeRefused(await acme.back({ code: 'x', state: '_unknown' }, cookie))
    expect((await acme.back({ code: 'x', state }, cookie)).status).toBe(302)
    mustBeRefused(await acme.back({ code: 'x', state }, cookie))
  })

  test('401: another browser, or one without the cookie', async () => {
    const [mine, theirs] = [await acme.begin(), await acme.begin()]

    mustBeRefused(await acme.back({ code: 'x', state: mine.state }))
    mustBeRefused(await acme.back({ code: 'x', state: mine.state }, theirs.cookie))
  })

  test('401: an error of the provider, or an answer in the name of another one', async () => {
    const denied = await acme.signIn({}, { error: 'access_denied' })
    mustBeRefused(denied)
    expect(denied.text).toContain('The identity provider did not sign you in.')
    mustBeRefused(await acme.signIn({}, { iss: 'https://other.example' }))
  })

  const hour = 3_600
  test.each<[string, () => Record<string, unknown>]>([
    ['another nonce', () => ({ nonce: 'other' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['another issuer', () => ({ iss: 'https://other.example' })],
    ['another audience', () => ({ aud: 'other' })],
    ['another authorised party', () => ({ azp: 'other' })],
    ['several audiences and no party', () => ({ aud: ['countersign', 'other'] })],
    ['an end that has passed', () => ({ exp: Math.floor(local.clock.now() / 1_000) - hour })],
    ['no subject', () => ({ sub: undefined })],
  ])('401: an ID token with %s', async (_, claims) => {
    mustBeRefused(await acme.signIn(claims()))
  })

  test.each<[string, Provider['signed']]>([
    ['by nobody (alg none)', (claims) => `${base64url({ alg: 'none' })}.${base64url(claims)}.`],
    [
      'with the client secret (HS256)',
      (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from('the client secret'.padEnd(32, '.'))),
    ],
    [
      'by another key',
      async (claims) => {
        const { privateKey } = await generateKeyPair('RS256')
        return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-1' }).sign(privateKey)
      },
    ],
  ])('401: an ID token signed %s, also where the provider announces it', async (_, sign) => {
    provider.state.sign = sign
    mustBeRefused(await acme.signIn())

    provider.state.metadata = { id_token_signing_alg_values_supported: ['none', 'HS256', 'RS256'] }
    mustBeRefused(await acme.signIn())
  })

  test("401: the state of one tenant with the code of another one's provider", async () => {
    const other = await startProvider(local.clock.now)
    const theirs = await oidcTenant(local, other)
    const { state, cookie } = await theirs.begin()
    other.state.sign = provider.signed
    other.state.claims = { email: `anna@${theirs.domain}`, iss: provider.issuer }

    mustBeRefused(await theirs.back({ code: 'x', state, iss: provider.issuer }, cookie))
    mustBeRefused(await theirs.signIn())
    await other.stop()
  })

  test.each<[string, Record<string, unknown>]>([
    ['an address that is not verified', { email_verified: false }],
    ['an address of a foreign domain', { email: 'anna@elsewhere.example' }],
    ['no address', { email: undefined }],
    ['a workspace of another organisation', { hd: 'elsewhere.example' }],
  ])('403: %s', async (_, claims) => {
    mustBeRefused(await acme.signIn(claims), 403)
  })

  test('403: another subject with the same address, until an administrator removes the tie', async () => {
    const { user_id } = signedIn(local, await redeem(local, (await acme.signIn()).code))
    mustBeRefused(await acme.signIn({ sub: 'subject-2' }), 403)

    const owner = await ownerInPerson(local, acme.tenant)
    expect((await owner.call(sso.unlink, { params: { id: user_id } })).status).toBe(204)
    const second = signedIn(local, await redeem(local, (await acme.signIn({ sub: 'subject-2' })).code))
    expect(second.user_id).toBe(user_id)
    mustBeRefused(await acme.signIn(), 403)
  })

  test('403: a subject whose account was deleted, until somebody invites the person again', async () => {
    const owner = await signIn(local, acme.tenant.owner)
    const first = await redeem(local, (await acme.signIn()).code)
    await owner.call(users.delete, { params: { id: (await signedIn(local, first).call(auth.me)).body.id } })
    mustBeRefused(await acme.signIn(), 403)
    mustBeRefused(await acme.signIn({ email: `other@${acme.domain}` }), 403)

    const invited = await owner.call(users.invite, { body: { email: `anna@${acme.domain}`, roles: ['auditor'] } })
    for (const email of [`anna@${acme.domain}`, `other@${acme.domain}`]) {
      const again = signedIn(local, await redeem(local, (await acme.signIn({ email })).code))
      expect((await again.call(auth.me)).body).toMatchObject({ id: invited.body.id, roles: ['auditor'] })
    }
  })
})

describe('POST /api/v1/tenants/{tenant_id}/sso', () => {
  test('200: a new client secret leaves a trace, though neither is shown', async () => {
    const body = oidcBody(acme.domain, provider.issuer)
    const traces = async () => {
      const ctx = systemContext({ tenant_id: acme.tenant.tenant_id, mode: 'live' })
      const pk = auditPartition(ctx.space, iso(ctx.now()).slice(0, 7))
      const entries = await ctx.table.query(auditEntries, { pk })
      return entries.filter(({ action }) => action === 'sso.updated').map(({ changes }) => changes)
    }
    const { client_secret: _, ...kept } = body.oidc
    await configure(local, acme.tenant, { ...body, oidc: kept })
    await configure(local, acme.tenant, { ...body, oidc: { ...kept, client_secret: 'another' } })

    const [first, same, other] = await traces()
    expect(first).toContainEqual({ path: 'oidc.client_secret', after: '***' })
    expect(same).toEqual([])
    expect(other).toEqual([{ path: 'oidc.client_secret', before: '***', after: '***' }])
  })
})

describe('a provider that misbehaves', () => {
  const DISCOVERY = '/.well-known/openid-configuration'
  const start = async () => local.call(sso.startOpenId, { query: { tenant: acme.tenant.tenant_id } })

  test.each([
    'http://127.0.0.2:4000',
    'http://10.0.0.1:4000',
    'http://169.254.169.254',
    'http://localhost.evil.internal',
  ])('422: the issuer %s is not called', async (issuer) => {
    expect((await configure(local, acme.tenant, oidcBody(acme.domain, issuer))).status).toBe(422)
  })

  test.each([
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/organizations/v2.0',
    'https://login.microsoftonline.com/{tenantid}/v2.0',
    'https://8.8.8.8/?tenant=1',
  ])('422: the issuer %s is nobody’s own', async (issuer) => {
    expect((await configure(local, acme.tenant, oidcBody(acme.domain, issuer))).status).toBe(422)
  })

  test('502: a discovery document that redirects, is elsewhere, too long, or another one’s', async () => {
    provider.state.instead.set(DISCOVERY, (response) => response.writeHead(302, { location: '/other' }).end())
    expect((await start()).status).toBe(502)

    provider.state.instead.set(DISCOVERY, (response) => response.end('x'.repeat(2_000_000)))
    expect((await start()).status).toBe(502)

    provider.state.instead.clear()
    provider.state.metadata = { issuer: 'https://other.example' }
    expect((await start()).status).toBe(502)
  })

  test.each(['token_endpoint', 'jwks_uri'])('502: a %s that must not be called, or redirects', async (endpoint) => {
    for (const url of ['http://127.0.0.2:4000/x', 'http://169.254.169.254/x', `${provider.issuer}/redirect`]) {
      provider.state.metadata = { [endpoint]: url }
      provider.state.instead.set('/redirect', (response) => response.writeHead(307, { location: '/token' }).end())
      mustBeRefused(await acme.signIn(), 502)
    }
  })
})
