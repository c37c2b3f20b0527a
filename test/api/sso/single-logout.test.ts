import { createSign } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { sso } from '../../../functions/sso/routes.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { inflated, isSigned, type Kind } from '../../../shared/identity/sso/saml/redirect-binding.ts'
import { Browser } from '../../support/browser.ts'
import { enrolTotp } from '../../support/factors.ts'
import { authorizationRequest, CODE_CLIENT, discovered, exchange, followClock, newClient } from '../../support/oauth.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { claimsOf, type SignedIn, signedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { EMAIL, IDP, type Key, newKey } from './forged.ts'
import { post, redeem, type SamlTenant, samlTenant } from './saml-idp.ts'

const SLO = 'https://idp.example/slo'
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'

const local = useLocalStack()
let acme: SamlTenant
let other: SamlTenant
beforeAll(async () => {
  ;[acme, other] = [await samlTenant(local, {}, { slo_url: SLO }), await samlTenant(local, {}, { slo_url: SLO })]
})

async function signInAs(name_id: string, session_index: string, at = acme): Promise<SignedIn> {
  const { id, cookie } = await at.begin()
  const { code } = await post(local, at.answer(at.said(id, { name_id, session_index })), cookie)
  return signedIn(local, await redeem(local, code))
}

const isAlive = async ({ call }: SignedIn) => (await call(auth.me)).status === 200

/** RFC 3986: these are reserved, too. */
const strictly = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

let requests = 0

type Saying = { name_id: string; session_index?: string; issuer?: string; issued?: string; destination?: string }

function logoutRequest({ name_id, session_index, issuer = IDP, issued, destination = acme.sp.slo_url }: Saying) {
  const id = `_logout-${(requests += 1)}`
  const index = session_index === undefined ? '' : `<samlp:SessionIndex>${session_index}</samlp:SessionIndex>`
  const at = issued ?? iso(local.clock.now())
  return `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${at}" Destination="${destination}"><saml:Issuer>${issuer}</saml:Issuer><saml:NameID Format="${EMAIL}">${name_id}</saml:NameID>${index}</samlp:LogoutRequest>`
}

type Signing = { kind?: Kind; key?: Key; encode?: (text: string) => string; relay_state?: string }

/** The query as a provider signs and the gateway decodes it. */
function signed(
  xml: string,
  { kind = 'SAMLRequest', key = acme.key, encode = encodeURIComponent, relay_state }: Signing = {},
) {
  const pairs = {
    [kind]: deflateRawSync(xml).toString('base64'),
    ...(relay_state !== undefined && { RelayState: relay_state }),
    SigAlg: RSA_SHA256,
  }
  const text = Object.entries(pairs).map(([name, value]) => `${name}=${encode(value)}`)
  return { ...pairs, Signature: createSign('sha256').update(text.join('&')).sign(key.private_key, 'base64') }
}

const logOut = (query: Record<string, string>) => local.call(sso.logout, { query })

describe('GET /auth/sso/logout', () => {
  test('302: the sessions of one sign-in end, and a signed answer goes back', async () => {
    const name_id = `one@${acme.domain}`
    const [first, second] = [await signInAs(name_id, '_a'), await signInAs(name_id, '_b')]
    const request = logoutRequest({ name_id, session_index: '_a' })
    const reply = await logOut(signed(request, { relay_state: 'a b+c' }))

    expect(reply.status).toBe(302)
    expect(await Promise.all([isAlive(first), isAlive(second)])).toEqual([false, true])
    const { searchParams, origin, pathname } = new URL(reply.headers.location ?? '')
    const { SAMLResponse = '', ...query } = Object.fromEntries(searchParams)
    expect(`${origin}${pathname}`).toBe(SLO)
    expect(query.RelayState).toBe('a b+c')
    expect(inflated(SAMLResponse)).toContain(`InResponseTo="${/ ID="([^"]+)"/.exec(request)?.[1]}"`)
    const { body: metadata } = await local.call(sso.metadata, { params: { tenant: acme.tenant.tenant_id } })
    const certificate = /<ds:X509Certificate>([^<]+)</.exec(metadata)?.[1] ?? ''
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----`
    expect(isSigned({ kind: 'SAMLResponse', value: SAMLResponse, ...query }, [pem])).toBe(true)
  })

  test('302: a sign-in that is not redeemed yet ends, too', async () => {
    const name_id = `soon@${acme.domain}`
    const { id, cookie } = await acme.begin()
    const { code } = await post(local, acme.answer(acme.said(id, { name_id, session_index: '_soon' })), cookie)
    local.clock.moveTo(local.clock.now() + 1_000)

    expect((await logOut(signed(logoutRequest({ name_id, session_index: '_soon' })))).status).toBe(302)
    expect((await redeem(local, code)).status).toBe(401)
  })

  test('302: so does one that waits for its second factor', async () => {
    const name_id = `half@${acme.domain}`
    const { app } = await enrolTotp(local, await signInAs(name_id, '_first'))
    const half = async (session_index: string) => {
      const { id, cookie } = await acme.begin()
      const { code } = await post(local, acme.answer(acme.said(id, { name_id, session_index })), cookie)
      return (await redeem(local, code)).body.mfa_token
    }
    const [ends, stays] = [await half('_ends'), await half('_stays')]
    local.clock.moveTo(local.clock.now() + 1_000)
    expect((await logOut(signed(logoutRequest({ name_id, session_index: '_ends' })))).status).toBe(302)
    const finish = async (mfa_token: string) =>
      (await local.call(mfa.verify, { body: { mfa_token, method: 'totp', code: app.nextCode() } })).status

    expect([await finish(ends), await finish(stays)]).toEqual([401, 200])
  })

  test('302: without an index all of the person end', async () => {
    const name_id = `all@${acme.domain}`
    const all = [await signInAs(name_id, '_a'), await signInAs(name_id, '_b')]

    expect((await logOut(signed(logoutRequest({ name_id })))).status).toBe(302)
    expect(await Promise.all(all.map(isAlive))).toEqual([false, false])
  })

  test.each<[string, (text: string) => string]>([
    ['with small hex digits', (text) => encodeURIComponent(text).replaceAll(/%\w\w/g, (code) => code.toLowerCase())],
    ['as a form', (text) => new URLSearchParams({ x: text }).toString().slice(2)],
    ['with all reserved characters encoded', strictly],
  ])('302: a query that its sender wrote %s', async (_, encode) => {
    const name_id = `encoding@${acme.domain}`
    local.clock.moveTo(local.clock.now() + 1_000) // after the logout of the same sign-in
    const session = await signInAs(name_id, '_a')

    expect((await logOut(signed(logoutRequest({ name_id }), { encode, relay_state: "it's (a) b" }))).status).toBe(302)
    expect(await isAlive(session)).toBe(false)
  })

  test('401: unsigned, by another key, changed, replayed, of another tenant’s provider, elsewhere, or old', async () => {
    const name_id = `stays@${acme.domain}`
    const session = await signInAs(name_id, '_a')
    const good = signed(logoutRequest({ name_id: `nobody@${acme.domain}` }))
    expect((await logOut(good)).status).toBe(302)

    const { Signature: _, ...unsigned } = signed(logoutRequest({ name_id }))
    const bomb = deflateRawSync(Buffer.alloc(4_000_000)).toString('base64')
    const long = iso(local.clock.now() - 3_600_000)
    const refused: Record<string, string>[] = [
      unsigned,
      signed(logoutRequest({ name_id }), { key: await newKey() }),
      signed(logoutRequest({ name_id }), { key: other.key }),
      { ...signed(logoutRequest({ name_id })), RelayState: 'added' },
      { ...signed(logoutRequest({ name_id })), SigAlg: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' },
      good,
      signed(logoutRequest({ name_id, issuer: 'https://other-idp.example' })),
      signed(logoutRequest({ name_id, issued: long })),
      signed(logoutRequest({ name_id, destination: 'https://other.example/slo' })),
      signed(logoutRequest({ name_id: 'anna@elsewhere.example' })),
      { SAMLRequest: bomb, SigAlg: RSA_SHA256, Signature: 'AAAA' },
      { SAMLRequest: 'AAAA' },
    ]
    for (const query of refused) expect((await logOut(query)).status).toBe(401)
    expect(await isAlive(session)).toBe(true)
  })

  test('400: nothing, or two messages', async () => {
    expect((await logOut({})).status).toBe(400)
    expect((await logOut({ SAMLRequest: 'a', SAMLResponse: 'b' })).status).toBe(400)
  })
})

describe('an OAuth client, when the provider signs the person out', () => {
  let app: Receiver
  let config: client.Configuration
  beforeAll(async () => {
    followClock(local)
    app = await startReceiver()
    config = await discovered(local, await newClient(acme.tenant, { ...CODE_CLIENT, backchannel_logout_uri: app.url }))
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    await app.stop()
  })

  /** To the provider and back to the page of the client. */
  async function signInAt(browser: Browser, asked: { url: URL }, name_id: string, session_index: string) {
    const uid = (await browser.open(asked.url.href)).url.split('/').at(-1) ?? ''
    const { id, cookie } = await acme.begin({ interaction: uid })
    const { location } = await post(local, acme.answer(acme.said(id, { name_id, session_index })), cookie)
    return browser.open(location?.href ?? '')
  }

  async function connected(name_id: string, session_index: string, over: Record<string, string> = {}) {
    const [browser, asked] = [new Browser(local.appUrl), await authorizationRequest(config, over)]
    const consent = await signInAt(browser, asked, name_id, session_index)
    return { browser, tokens: await exchange(config, await browser.press(consent, 'allow'), asked) }
  }

  const next = () => local.clock.moveTo(local.clock.now() + 2_000)
  const callWith = async ({ access_token: key }: { access_token: string }) =>
    (await local.call(oauth.userinfo, { key })).status
  const isAsked = async (browser: Browser) =>
    (await browser.open((await authorizationRequest(config)).url.href)).text.includes('<h1>Sign in</h1>')

  test('loses the token, its refresh and the sign-in of that browser, and gets a notice; another sign-in stays', async () => {
    const name_id = `apps@${acme.domain}`
    await signInAs(name_id, '_joins')
    next()
    const [ended, staying] = [await connected(name_id, '_a'), await connected(name_id, '_b')]
    next()
    expect((await logOut(signed(logoutRequest({ name_id, session_index: '_a' })))).status).toBe(302)

    expect([await callWith(ended.tokens), await callWith(staying.tokens)]).toEqual([401, 200])
    const refresh = client.refreshTokenGrant(config, ended.tokens.refresh_token ?? '')
    await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' })
    expect([await isAsked(ended.browser), await isAsked(staying.browser)]).toEqual([true, false])
    await local.drain()
    expect(app.deliveries).toHaveLength(1)
    const token = new URLSearchParams(app.deliveries[0]?.body.toString()).get('logout_token') ?? ''
    expect(claimsOf(token)).toMatchObject({ sub: claimsOf(ended.tokens.access_token).sub })

    next()
    expect((await connected(name_id, '_a')).tokens.access_token).toBeDefined() // the provider may use the name again
  })

  test('gets nothing from a browser that was signed out before the person agreed', async () => {
    const name_id = `early@${acme.domain}`
    await signInAs(name_id, '_joins')
    next()
    const [browser, asked] = [new Browser(local.appUrl), await authorizationRequest(config)]
    const consent = await signInAt(browser, asked, name_id, '_a')
    next()
    expect((await logOut(signed(logoutRequest({ name_id, session_index: '_a' })))).status).toBe(302)

    expect((await browser.press(consent, 'allow')).text).toContain('<h1>Sign in</h1>')
  })

  test('follows the latest sign-in of its browser', async () => {
    const name_id = `again@${acme.domain}`
    await signInAs(name_id, '_joins')
    next()
    const { browser, tokens } = await connected(name_id, '_a', { scope: 'openid' }) // without offline_access nobody is asked to agree again
    next()
    const asked = await authorizationRequest(config, { scope: 'openid', prompt: 'login' })
    const renewed = await exchange(config, await signInAt(browser, asked, name_id, '_b'), asked)
    next()
    expect((await logOut(signed(logoutRequest({ name_id, session_index: '_b' })))).status).toBe(302)

    expect([await callWith(tokens), await callWith(renewed), await isAsked(browser)]).toEqual([401, 401, true])
  })
})

describe('POST /api/v1/auth/logout', () => {
  test('names the address at the provider, whose answer ends the sign-out', async () => {
    const session = await signInAs(`leaves@${acme.domain}`, '_leaves')
    const { body } = await session.call(auth.logout, { body: {} })
    const url = new URL(body.slo_url)
    const request = inflated(url.searchParams.get('SAMLRequest') ?? '') ?? ''

    expect(`${url.origin}${url.pathname}`).toBe(SLO)
    expect(request).toContain('<samlp:SessionIndex>_leaves</samlp:SessionIndex>')
    expect(request).toContain(`leaves@${acme.domain}`)
    const id = / ID="([^"]+)"/.exec(request)?.[1] ?? ''
    const response = `<samlp:LogoutResponse xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r" Version="2.0" IssueInstant="${iso(local.clock.now())}" InResponseTo="${id}"><saml:Issuer>${IDP}</saml:Issuer></samlp:LogoutResponse>`

    expect((await logOut(signed(response, { kind: 'SAMLResponse', key: other.key }))).status).toBe(401)
    const done = await logOut(signed(response, { kind: 'SAMLResponse' }))
    expect(done).toMatchObject({ status: 200, body: expect.stringContaining('You are signed out') })
    expect((await logOut(signed(response, { kind: 'SAMLResponse' }))).status).toBe(401)
  })
})
