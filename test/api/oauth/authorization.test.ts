import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { Browser } from '../../support/browser.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import {
  auditedActions,
  authorizationRequest,
  authorized,
  CODE_CLIENT,
  discovered,
  exchange,
  followClock,
  newClient,
} from '../../support/oauth.ts'
import { claimsOf, ownerInPerson } from '../../support/sign-in.ts'
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

describe('a code with PKCE', () => {
  test('a person signs in, agrees, and the client gets tokens, with a new function instance at each step', async () => {
    const asked = await authorizationRequest(config)
    const browser = new Browser(local.appUrl)

    const page = await browser.open(asked.url.href)
    coldStart()
    const consent = await browser.press(page, 'password', { email: acme.owner.email, password: PASSWORD })
    coldStart()
    const place = await browser.press(consent, 'allow')
    coldStart()
    const tokens = await exchange(config, place, asked)

    expect(place.url).toMatch(/^https:\/\/client\.example\/callback\?code=/)
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 900, refresh_token: expect.any(String) })
  })

  test('the access token is a JWT for the API that says what the specification wants of it', async () => {
    const { tokens } = await authorized(local, config, acme.owner)
    const { iat, exp, ...claims } = claimsOf(tokens.access_token)

    expect(claims).toMatchObject({
      iss: local.appUrl,
      aud: local.apiUrl,
      sub: acme.owner.id,
      client_id: config.clientMetadata().client_id,
      email: acme.owner.email,
      tenant_id: acme.tenant_id,
      roles: ['owner'],
      mode: 'live',
      scope: 'openid profile email offline_access governance:read',
    })
    expect(Number(exp) - Number(iat)).toBe(900)
    const header = JSON.parse(Buffer.from(tokens.access_token.split('.')[0] ?? '', 'base64url').toString())
    expect(header).toMatchObject({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) })
  })

  test('the ID token says who signed in and how', async () => {
    const { tokens } = await authorized(local, config, acme.owner)

    expect(tokens.claims()).toMatchObject({
      iss: local.appUrl,
      sub: acme.owner.id,
      amr: ['pwd'],
      tenant_id: acme.tenant_id,
      email: acme.owner.email,
      email_verified: true,
      name: 'Owner',
    })
  })

  test('userinfo answers for a token that is for the API, by scope', async () => {
    const { tokens } = await authorized(local, config, acme.owner)
    const bare = await authorized(local, config, acme.owner, { scope: 'openid' })

    const full = await client.fetchUserInfo(config, tokens.access_token, acme.owner.id)
    const least = await client.fetchUserInfo(config, bare.tokens.access_token, acme.owner.id)

    const always = { sub: acme.owner.id, tenant_id: acme.tenant_id, roles: ['owner'] }
    expect(full).toEqual({ ...always, name: 'Owner', email: acme.owner.email, email_verified: true })
    expect(least).toEqual(always)
  })

  test('the API takes the token, as far as both its scope and the roles of its person go', async () => {
    const { tokens } = await authorized(local, config, acme.approver)
    const { call } = acme.as({ key: tokens.access_token })

    expect((await call(approvals.list)).status).toBe(200)
    expect(await call(clients.list)).toMatchObject({ status: 403 })
    expect(await call(approvals.list, { headers: { 'x-mode': 'test' } })).toMatchObject({ status: 400 })
  })

  test('a person who has agreed is not asked again for the same, and no refresh token comes without its scope', async () => {
    const browser = new Browser(local.appUrl)
    const first = await authorizationRequest(config, { scope: 'openid governance:read' })
    const page = await browser.open(first.url.href)
    await browser.press(await browser.press(page, 'password', { email: acme.owner.email, password: PASSWORD }), 'allow')

    const second = await authorizationRequest(config, { scope: 'openid governance:read' })
    const place = await browser.open(second.url.href)
    const tokens = await exchange(config, place, second)

    expect(tokens.scope).toBe('openid governance:read')
    expect(tokens.refresh_token).toBeUndefined()
  })

  test('names of scopes that mean nothing are left out, and the answer says so', async () => {
    const { tokens } = await authorized(local, config, acme.owner, { scope: 'openid nonsense governance:read' })

    expect(tokens.scope).toBe('openid governance:read')
  })

  test('a pushed request does the same', async () => {
    const asked = await authorizationRequest(config)
    const parameters = Object.fromEntries(asked.url.searchParams)
    const url = await client.buildAuthorizationUrlWithPAR(config, parameters)
    const browser = new Browser(local.appUrl)

    const page = await browser.open(url.href)
    const consent = await browser.press(page, 'password', { email: acme.owner.email, password: PASSWORD })
    const tokens = await exchange(config, await browser.press(consent, 'allow'), asked)

    expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri'])
    expect(tokens.refresh_token).toBeDefined()
    expect((await browser.open(url.href)).text).toContain('cannot be completed')
  })
})

describe('what a sign-in leaves behind', () => {
  test('a client of the tenant with skip_consent is agreed to at once, with the same evidence', async () => {
    const owner = await ownerInPerson(local, acme)
    const trusted = await discovered(local, await newClient(owner, { ...CODE_CLIENT, skip_consent: true }))
    const asked = await authorizationRequest(trusted)
    const browser = new Browser(local.appUrl)

    const page = await browser.open(asked.url.href)
    const place = await browser.press(page, 'password', { email: acme.owner.email, password: PASSWORD })
    const tokens = await exchange(trusted, place, asked)

    expect(tokens.refresh_token).toBeDefined()
    expect(await auditedActions(acme)).toEqual(expect.arrayContaining(['session.started', 'oauth_grant.created']))
  })
})
