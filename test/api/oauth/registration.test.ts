import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { clients } from '../../../functions/clients/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { Browser } from '../../support/browser.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { auditedActions, authorizationRequest, CALLBACK, followClock, INSECURE } from '../../support/oauth.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant

beforeAll(async () => {
  followClock(local)
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
})
afterAll(() => {
  vi.restoreAllMocks()
})

async function token(body: object = { expires_in: 600 }): Promise<string> {
  const reply = await acme.call(clients.createRegistrationToken, { body })
  return reply.body.token
}

const METADATA = { redirect_uris: [CALLBACK], client_name: 'Registered', token_endpoint_auth_method: 'none' }

const register = (key: string | undefined, body: object = METADATA) => local.call(oauth.register, { key, body })

describe('registering', () => {
  test('a client registers itself in the tenant of its token, also when it claims another, and cannot skip consent', async () => {
    const options = { initialAccessToken: await token(), ...INSECURE }
    const claimed = { ...METADATA, tenant_id: other.tenant_id, skip_consent: true, client_id: 'cli_mine' }

    const config = await client.dynamicClientRegistration(new URL(local.appUrl), claimed, client.None(), options)
    const { client_id } = config.clientMetadata()
    const shown = await acme.call(clients.get, { params: { client_id } })

    expect(client_id).toMatch(/^cli_[0-9A-Z]{26}$/)
    expect(shown).toMatchObject({
      status: 200,
      body: { name: 'Registered', skip_consent: false, source: 'registration', redirect_uris: [CALLBACK] },
    })
    expect((await other.call(clients.get, { params: { client_id } })).status).toBe(404)
    expect(await auditedActions(acme)).toContain('oauth_client.created')
  })

  test('201: Cursor registers its three addresses in one request', async () => {
    const redirect_uris = [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ]

    const { status, body } = await register(await token(), { ...METADATA, client_name: 'Cursor', redirect_uris })

    expect({ status, body }).toMatchObject({ status: 201, body: { redirect_uris, application_type: 'native' } })
  })

  test('a client may name an address for notices of logout, and its registration shows it', async () => {
    const wants = {
      backchannel_logout_uri: 'https://93.184.216.34/logout',
      backchannel_logout_session_required: true,
    }

    const { status, body } = await register(await token(), { ...METADATA, ...wants })
    const { client_id, registration_access_token: key } = body
    const own = await local.call(oauth.readRegistration, { key, params: { client_id } })

    expect({ status, body: own.body }).toMatchObject({ status: 201, body: wants })
    expect((await acme.call(clients.get, { params: { client_id } })).body).toMatchObject(wants)
  })

  test('people are asked for consent, and the client works like any other', async () => {
    const options = { initialAccessToken: await token(), ...INSECURE }
    const config = await client.dynamicClientRegistration(new URL(local.appUrl), METADATA, client.None(), options)
    const asked = await authorizationRequest(config, { scope: 'openid' })
    const browser = new Browser(local.appUrl)

    const page = await browser.open(asked.url.href)
    const consent = await browser.press(page, 'password', { email: acme.owner.email, password: PASSWORD })

    expect(consent.text).toContain('Registered wants to:')
  })

  test('a name that is cut inside a character, or holds half of one, is mended; an address is refused', async () => {
    const long = await register(await token(), { ...METADATA, client_name: `${'a'.repeat(79)}😀` })
    const halved = await register(await token(), { ...METADATA, client_name: 'half \ud83d' })

    const address = await register(await token(), { ...METADATA, redirect_uris: [`${CALLBACK}/\ud83d`] })

    expect([long.status, halved.status, address.status]).toEqual([201, 201, 400])
  })

  test('a token registers one client, also when two come at once', async () => {
    const key = await token()

    const [one, two] = await Promise.all([register(key), register(key)])
    const third = await register(key)

    expect(new Set([one.status, two.status])).toEqual(new Set([201, 401]))
    expect(third).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  })

  test('without a token, with an expired or with an API key nobody registers', async () => {
    const expired = await token({ expires_in: 60 })
    local.clock.moveTo(local.clock.now() + 60_000)

    for (const key of [undefined, 'unknown', expired, acme.live_key]) {
      expect(await register(key)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    }
  })

  test.each([
    ['an address by plain http', { redirect_uris: ['http://client.example/callback'] }, 'invalid_redirect_uri'],
    ['an address with a wildcard', { redirect_uris: ['https://*.example/callback'] }, 'invalid_redirect_uri'],
    ['keys to be fetched', { jwks_uri: 'http://169.254.169.254/' }, 'invalid_client_metadata'],
    ['addresses to be fetched', { sector_identifier_uri: 'https://a.example/' }, 'invalid_client_metadata'],
    ['a name with control characters', { client_name: 'two\nlines' }, 'invalid_client_metadata'],
    ['a private address for logouts', { backchannel_logout_uri: 'http://169.254.169.254/' }, 'invalid_client_metadata'],
    ['a scope of API keys', { scope: 'openid admin' }, 'invalid_client_metadata'],
    [
      'a client without a secret that acts for itself',
      { grant_types: ['client_credentials'], response_types: [], redirect_uris: [] },
      'invalid_client_metadata',
    ],
    ['tokens in the answer', { response_types: ['token'] }, 'invalid_client_metadata'],
  ])('%s is refused', async (_, over, error) => {
    expect(await register(await token(), { ...METADATA, ...over })).toMatchObject({ status: 400, body: { error } })
  })
})

describe('managing a registration (RFC 7592)', () => {
  test('a client reads, changes and ends itself with the token that it was given', async () => {
    const made = await register(await token(), { ...METADATA, token_endpoint_auth_method: 'client_secret_basic' })
    const { client_id, client_secret, registration_access_token: first, registration_client_uri } = made.body
    const params = { client_id }

    const read = await local.call(oauth.readRegistration, { params, key: first })
    const body = {
      ...METADATA,
      client_id,
      client_secret,
      client_name: 'Renamed',
      token_endpoint_auth_method: 'client_secret_basic',
      tenant_id: other.tenant_id,
    }
    const changed = await local.call(oauth.updateRegistration, { params, key: first, body })
    const stale = await local.call(oauth.readRegistration, { params, key: first })
    const ended = await local.call(oauth.deleteRegistration, { params, key: changed.body.registration_access_token })

    expect(registration_client_uri).toBe(`${local.appUrl}/oauth/register/${client_id}`)
    expect(read).toMatchObject({ status: 200, body: { client_id, client_secret, tenant_id: acme.tenant_id } })
    expect(changed).toMatchObject({ status: 200, body: { client_name: 'Renamed', tenant_id: acme.tenant_id } })
    expect(stale.status).toBe(401)
    expect(ended.status).toBe(204)
    expect((await acme.call(clients.get, { params })).status).toBe(404)
    expect(await auditedActions(acme)).toEqual(expect.arrayContaining(['oauth_client.updated', 'oauth_client.deleted']))
  })

  test('the token of one client is nothing to another', async () => {
    const [one, two] = await Promise.all([register(await token()), register(await token())])

    const params = { client_id: one.body.client_id }
    const reply = await local.call(oauth.readRegistration, { params, key: two.body.registration_access_token })

    expect(reply).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  })
})
