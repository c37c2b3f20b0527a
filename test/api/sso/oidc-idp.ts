// An OpenID provider on loopback that says, signs and publishes what a test wants.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { sso } from '../../../functions/sso/routes.ts'
import { send } from '../../support/http.ts'
import type { LocalStack } from '../../support/local-stack.ts'
import { CALLBACK, configure, ownDomain } from './saml-idp.ts'

export type Provider = Awaited<ReturnType<typeof startProvider>>

type Signs = (claims: Record<string, unknown>) => string | Promise<string>

/** `now` in ms. */
export async function startProvider(now: () => number) {
  const pair = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'key-1', alg: 'RS256', use: 'sig' }
  const calls: { path: string; body: string; authorization: string | undefined }[] = []
  const signed: Signs = (claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-1' }).sign(pair.privateKey)
  const state = {
    /** Added to the good ones; an undefined claim is left out. */
    claims: {} as Record<string, unknown>,
    sign: signed,
    metadata: {} as Record<string, unknown>,
    userinfo: {} as Record<string, unknown>,
    /** Answers a path in the provider's place. */
    instead: new Map<string, (response: ServerResponse) => void>(),
  }
  let nonce = ''
  let issuer = ''

  const tokens = async () => {
    const seconds = Math.floor(now() / 1_000)
    const good = { iss: issuer, sub: 'subject-1', aud: 'countersign', iat: seconds, exp: seconds + 300, nonce }
    const claims = JSON.parse(JSON.stringify({ ...good, ...state.claims }))
    return { access_token: 'access', token_type: 'Bearer', id_token: await state.sign(claims) }
  }
  const bodies: Record<string, () => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      ...state.metadata,
    }),
    '/jwks': () => ({ keys: [jwk] }),
    '/token': tokens,
    '/userinfo': () => ({ sub: 'subject-1', ...state.userinfo }),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? ''
    calls.push({ path, body: await text(request), authorization: request.headers.authorization })
    const instead = state.instead.get(path)
    if (instead) return instead(response)
    const body = JSON.stringify(await bodies[path]?.())
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(body)
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server always has one
  return {
    issuer,
    pair,
    calls,
    state,
    signed,
    /** What a browser brought here. */
    visit: (location: URL) => {
      nonce = location.searchParams.get('nonce') ?? ''
    },
    /** Forgets what a test changed. */
    reset: () => {
      Object.assign(state, { claims: {}, sign: signed, metadata: {}, userinfo: {}, instead: new Map() })
      calls.length = 0
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

export const oidcBody = (domain: string, issuer: string, over: object = {}) => ({
  protocol: 'oidc',
  domains: [domain],
  login_redirect_uris: [CALLBACK],
  oidc: { issuer, client_id: 'countersign', client_secret: 'the client secret' },
  ...over,
})

export async function oidcTenant(local: LocalStack, provider: Provider, over: object = {}) {
  const tenant = await local.tenant({ plan: 'business' })
  const domain = await ownDomain(tenant)
  const configured = await configure(local, tenant, oidcBody(domain, provider.issuer, over))
  if (configured.status !== 200) throw new Error(JSON.stringify(configured.body))
  const begin = async (query: Record<string, string> = {}) => {
    const reply = await local.call(sso.startOpenId, { query: { tenant: tenant.tenant_id, ...query } })
    if (reply.status !== 302) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`)
    const location = new URL(reply.headers.location ?? '')
    provider.visit(location)
    const state = location.searchParams.get('state') ?? ''
    return { location, state, cookie: (reply.headers['set-cookie'] ?? '').split(';')[0] ?? '' }
  }
  /** The provider sends the browser back. */
  const back = async (query: Record<string, string>, cookie = '') => {
    const url = `${local.appUrl}${sso.openIdCallback.path}?${new URLSearchParams(query).toString()}`
    const answer = await send(url, { method: 'GET', headers: cookie ? { cookie } : {} })
    const location = answer.headers.location === undefined ? undefined : new URL(answer.headers.location)
    return { status: answer.status, location, code: location?.searchParams.get('code') ?? '', text: answer.text }
  }
  return {
    tenant,
    domain,
    begin,
    back,
    /** The whole way, as a person of the domain unless the test says otherwise. */
    signIn: async (claims: Record<string, unknown> = {}, query: Record<string, string> = {}) => {
      const { state, cookie } = await begin()
      provider.state.claims = { email: `anna@${domain}`, email_verified: true, ...claims }
      return back({ code: 'code-1', state, ...query }, cookie)
    },
  }
}

export type OidcTenant = Awaited<ReturnType<typeof oidcTenant>>
