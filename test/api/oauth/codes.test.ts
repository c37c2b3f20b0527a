import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { TestTenant } from '../../support/local-stack.ts'
import { Browser } from '../../support/browser.ts'
import {
  agree,
  authorizationRequest,
  authorized,
  CODE_CLIENT,
  discovered,
  exchange,
  followClock,
  newClient,
} from '../../support/oauth.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let config: client.Configuration

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
  config = await discovered(local, await newClient(acme))
})
afterAll(() => {
  vi.restoreAllMocks()
})

const refused = (error: string) => expect.objectContaining({ error })

/** Where the service sends a browser with this request, without any page between. */
const asked = async (over: Record<string, string>, without: string[] = []) => {
  const { url } = await authorizationRequest(config, over)
  for (const name of without) url.searchParams.delete(name)
  return new Browser(local.appUrl).open(url.href)
}

const errorIn = ({ url }: { url: string }) => new URL(url).searchParams.get('error')

describe('a code', () => {
  test('that comes twice ends everything that came of it', async () => {
    const { asked: request, place, tokens } = await authorized(local, config, acme.owner)

    await expect(exchange(config, place, request)).rejects.toEqual(refused('invalid_grant'))
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toEqual(refused('invalid_grant'))
  })

  test('of which eight exchanges come at once gives tokens once', async () => {
    const request = await authorizationRequest(config)
    const place = await agree(new Browser(local.appUrl), request.url, acme.owner)

    const all = await Promise.allSettled(Array.from({ length: 8 }, () => exchange(config, place, request)))

    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('is nothing to another client, nor with another verifier', async () => {
    const other = await discovered(local, await newClient(acme))
    const request = await authorizationRequest(config)
    const place = await agree(new Browser(local.appUrl), request.url, acme.owner)

    await expect(exchange(other, place, request)).rejects.toEqual(refused('invalid_grant'))
    await expect(exchange(config, place, { ...request, verifier: client.randomPKCECodeVerifier() })).rejects.toEqual(
      refused('invalid_grant'),
    )
  })
})

describe('a request', () => {
  test.each([
    ['without PKCE', {}, ['code_challenge', 'code_challenge_method'], 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, [], 'invalid_request'],
    ['without openid', { scope: 'governance:read' }, ['nonce'], 'invalid_scope'],
    ['for the scope admin', { scope: 'openid admin' }, [], 'invalid_scope'],
    ['for a scope of API keys', { scope: 'openid governance:write' }, [], 'invalid_scope'],
    ['for a scope that the client is not registered for', { scope: 'openid agent:execute' }, [], 'invalid_scope'],
    ['for another resource', { resource: 'https://other.example' }, [], 'invalid_target'],
    ['for a token in the answer', { response_type: 'token' }, [], 'unsupported_response_type'],
    ['with a request object', { request: 'e30.e30.' }, [], 'request_not_supported'],
    ['that must not ask while nobody is signed in', { prompt: 'none' }, [], 'login_required'],
  ])('%s is refused to the client', async (_, over, without, error) => {
    const place = await asked(over, without)

    expect(place.url).toMatch(/^https:\/\/client\.example\/callback[?#]/)
    expect(errorIn(place) ?? new URLSearchParams(new URL(place.url).hash.slice(1)).get('error')).toBe(error)
  })

  test.each([
    ['an unregistered address', { redirect_uri: 'https://evil.example/callback' }, 'invalid_redirect_uri'],
    ['a longer address', { redirect_uri: 'https://client.example/callback/x' }, 'invalid_redirect_uri'],
    ['an unknown client', { client_id: 'cli_01JD3Q8Z5N0A2C4E6G8J0M2P4R' }, 'invalid_client'],
    ['a client that no key can hold', { client_id: 'a#b' }, 'invalid_client'],
  ])('with %s leads nowhere', async (_, over, error) => {
    const place = await asked(over)

    expect(place.status).toBe(400)
    expect(place.url).toContain(local.appUrl)
    expect(place.text).toContain(error)
  })

  test.each(['state', 'prompt'])('in which %s comes twice is refused', async (name) => {
    const { url } = await authorizationRequest(config, { prompt: 'login' })
    url.searchParams.append(name, 'none')

    const place = await new Browser(local.appUrl).open(url.href)

    expect(errorIn(place)).toBe('invalid_request')
  })

  test.each([
    ['an app', { redirect_uris: ['com.example.app:/callback', 'https://client.example/callback'] }],
    ['a page that an app signs out of', { post_logout_redirect_uris: ['com.example.app:/bye'] }],
    ['a page on loopback', { redirect_uris: ['https://localhost/callback'] }],
  ])('of %s leads to the sign-in, whatever addresses the client was registered with', async (_, over) => {
    const body = { ...CODE_CLIENT, ...over }
    const own = await discovered(local, await newClient(acme, body))

    const { url } = await authorizationRequest(own, { redirect_uri: body.redirect_uris[0] ?? '' })

    expect((await new Browser(local.appUrl).open(url.href)).text).toContain('<h1>Sign in</h1>')
  })

  test('has its markup shown as text where it is shown at all', async () => {
    const place = await asked({ client_id: '<script>alert(1)</script>', response_type: '<img src=x>' })

    expect(place.text).not.toMatch(/<script|<img/)
    expect(place.text).not.toMatch(/at .*\.(js|ts):\d+/)
    expect(place.headers['content-security-policy']).toContain("default-src 'none'")
  })
})
