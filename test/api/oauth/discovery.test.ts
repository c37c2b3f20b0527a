import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { send } from '../../support/http.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { authorized, CALLBACK, discovered, followClock, newClient } from '../../support/oauth.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
})
afterAll(() => {
  vi.restoreAllMocks()
})

const CLAIMED = {
  host: 'evil.example',
  forwarded: 'host=evil.example;proto=https',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '443',
  'x-original-url': '/evil',
}

describe('discovery', () => {
  test('is the same under both names, and every address in it is on the application host', async () => {
    const [openid, oauth2] = [await local.call(oauth.openidConfiguration), await local.call(oauth.authorizationServer)]
    const addresses = Object.entries(openid.body).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri')

    expect(openid.body).toEqual(oauth2.body)
    expect(openid.body.issuer).toBe(local.appUrl)
    expect(addresses.length).toBeGreaterThan(8)
    for (const [name, address] of addresses) expect(address, name).toMatch(new RegExp(`^${local.appUrl}/`))
  })

  test('says what there is and nothing more', async () => {
    const { body } = await local.call(oauth.openidConfiguration)

    expect(body).toMatchObject({
      grant_types_supported: expect.arrayContaining([
        'authorization_code',
        'client_credentials',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ]),
      device_authorization_endpoint: `${local.appUrl}/oauth/device_authorization`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['RS256'],
    })
    expect(body.grant_types_supported).toHaveLength(4)
    expect(body).not.toHaveProperty('backchannel_authentication_endpoint')
  })

  test('no caller can put an address of its own into it, nor into the way of a sign-in', async () => {
    const { client_id } = await newClient(acme)
    const query = {
      client_id,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'openid',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    }

    const document = await local.call(oauth.openidConfiguration, { headers: CLAIMED })
    const way = await local.call(oauth.authorize, { headers: CLAIMED, query })

    expect(JSON.stringify(document.body)).not.toContain('evil')
    expect(document.body.issuer).toBe(local.appUrl)
    expect(way).toMatchObject({ status: 303 })
    expect(way.headers.location).toMatch(new RegExp(`^${local.appUrl}/oauth/interaction/`))
    expect(JSON.stringify(way.headers)).not.toContain('evil')
  })
})

describe('keys', () => {
  test('those of OAuth are published on the application host, and on the API host with those of sessions', async () => {
    const own = await local.call(oauth.keySet)
    const all = await local.call(auth.jwks)

    expect(own.body.keys).toHaveLength(1)
    expect(own.body.keys[0]).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig', kid: expect.any(String) })
    expect(all.body.keys).toEqual(expect.arrayContaining(own.body.keys))
    expect(own.headers['cache-control']).toBe('public, max-age=3600')
  })
})

describe('pages of other origins', () => {
  const ORIGIN = new URL(CALLBACK).origin

  test('may ask, and the client decides whether they may read the answer', async () => {
    const made = await newClient(acme)
    const config = await discovered(local, made)
    const { tokens } = await authorized(local, config, acme.owner)
    const ask = (origin: string) => local.call(oauth.userinfo, { key: tokens.access_token, headers: { origin } })

    const [own, foreign] = [await ask(ORIGIN), await ask('https://evil.example')]

    expect(own.headers['access-control-allow-origin']).toBe(ORIGIN)
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test('may exchange codes for a client only where the client answers', async () => {
    const { client_id } = await newClient(acme)
    const ask = (origin: string) =>
      send(`${local.appUrl}/oauth/token`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ client_id, grant_type: 'refresh_token', refresh_token: 'none' }).toString(),
      })

    const [own, foreign] = [await ask(ORIGIN), await ask('https://evil.example')]

    expect(own.headers['access-control-allow-origin']).toBe(ORIGIN)
    expect(JSON.parse(own.text)).toMatchObject({ error: 'invalid_grant' })
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin')
    expect(JSON.parse(foreign.text)).toMatchObject({ error: 'invalid_request' })
  })

  test.each([
    '/oauth/token',
    '/oauth/userinfo',
    '/oauth/revoke',
    '/oauth/introspect',
    '/oauth/device_authorization',
    '/oauth/par',
    '/.well-known/jwks.json',
  ])('get an answer to the preflight of %s', async (path) => {
    const headers = {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    const reply = await send(`${local.appUrl}${path}`, { method: 'OPTIONS', headers })

    expect(reply.status).toBe(204)
    expect(reply.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'Origin' })
    expect(reply.headers['access-control-allow-headers']?.toLowerCase()).toContain('authorization')
  })

  test('get none for the pages of a sign-in', async () => {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'GET' }
    const reply = await send(`${local.appUrl}/oauth/authorize`, { method: 'OPTIONS', headers })

    expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
  })
})

test.each(['/oauth/authorize', '/oauth/logout'])('POST %s is off', async (path) => {
  expect(await send(`${local.appUrl}${path}`, { method: 'POST' })).toMatchObject({ status: 405 })
})
