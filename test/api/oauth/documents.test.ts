import { allowInsecureRequests, authorizationCodeGrant, discovery, None, refreshTokenGrant } from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { clients } from '../../../functions/clients/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { type OutboundRequest, setTransport } from '../../../shared/base/lib/safe-http.ts'
import { mcpResource } from '../../../shared/identity/oauth/resources.ts'
import { Browser } from '../../support/browser.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { agree, auditedActions, authorizationRequest, CALLBACK, followClock } from '../../support/oauth.ts'
import { claimsOf } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const URL_ID = 'https://claude.ai/oauth/test-client'
let acme: TestTenant
let other: TestTenant
let document: object
let fetched: OutboundRequest[]

beforeAll(async () => {
  followClock(local)
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
})
beforeEach(() => {
  coldStart()
  document = { client_id: URL_ID, client_name: 'Claude <b>', redirect_uris: [CALLBACK], skip_consent: true }
  fetched = []
  setTransport(async (request) => {
    fetched.push(request)
    const body = Buffer.from(JSON.stringify(document))
    return { kind: 'answer', status: 200, headers: {}, body, body_end: 'whole', latency_ms: 1 }
  })
})
afterAll(() => {
  setTransport()
  vi.restoreAllMocks()
})

const resourceOf = (tenant: TestTenant) => ({ resource: mcpResource(tenant.tenant_id) })

async function requestOf(tenant: TestTenant, over: Record<string, string> = {}, clientId = URL_ID) {
  // oxlint-disable-next-line typescript/no-deprecated -- marked so by its authors only to be noticed
  const execute = [allowInsecureRequests]
  const config = await discovery(new URL(local.appUrl), clientId, undefined, None(), { execute })
  const scope = 'agent:execute governance:read offline_access'
  const asked = await authorizationRequest(config, { ...resourceOf(tenant), scope, ...over })
  asked.url.searchParams.delete('nonce')
  const grant = ({ url }: { url: string }) =>
    authorizationCodeGrant(
      config,
      new URL(url),
      { pkceCodeVerifier: asked.verifier, expectedState: asked.state },
      resourceOf(tenant),
    )
  return { ...asked, config, grant }
}

async function connected(tenant: TestTenant) {
  const asked = await requestOf(tenant)
  const place = await agree(new Browser(local.appUrl), asked.url, tenant.owner)
  return { ...asked, tokens: await asked.grant(place) }
}

const documentClients = async (tenant: TestTenant) => {
  const { body } = await tenant.call(clients.list)
  const { items } = body as { items: { client_id: string; source: string }[] } // the reply's own shape
  return items.filter(({ source }) => source === 'document')
}

test('discovery says that documents are understood', async () => {
  const { config } = await requestOf(acme)

  expect(config.serverMetadata()).toMatchObject({ client_id_metadata_document_supported: true })
})

describe('a client that a document describes', () => {
  test('connects to the tenant whose tools it names, and is known there by its host', async () => {
    const asked = await requestOf(acme)
    const browser = new Browser(local.appUrl)
    const form = await browser.open(asked.url.href)
    expect(form.text).toContain('to continue to claude.ai')
    const consent = await browser.press(form, 'password', { email: acme.owner.email, password: PASSWORD })
    expect(consent.text).toContain('<strong>claude.ai</strong>')
    expect(consent.text).toContain('Claude &lt;b&gt;')
    const tokens = await asked.grant(await browser.press(consent, 'allow'))

    expect(claimsOf(tokens.access_token)).toMatchObject({
      aud: mcpResource(acme.tenant_id),
      client_id: URL_ID,
      tenant_id: acme.tenant_id,
      mode: 'live',
    })
    expect(fetched).toMatchObject([{ url: URL_ID, method: 'GET', deadlineMs: 3_000, answerBytesMax: 10_240 }])
    expect(await documentClients(acme)).toMatchObject([{ document: URL_ID, name: 'Claude <b>', status: 'active' }])
    expect(await documentClients(other)).toEqual([])
    expect(await auditedActions(acme)).toContain('oauth_client.created')
    const fresh = await refreshTokenGrant(asked.config, tokens.refresh_token ?? '', resourceOf(acme))
    expect(claimsOf(fresh.access_token)).toMatchObject({ aud: mcpResource(acme.tenant_id) })
  })

  test('cannot be signed in to by people of another tenant', async () => {
    const asked = await requestOf(acme)
    const browser = new Browser(local.appUrl)
    const form = await browser.open(asked.url.href)
    const refused = await browser.press(form, 'password', { email: other.owner.email, password: PASSWORD })

    expect(refused.text).toContain('<h1>Sign in</h1>')
  })

  test('that is disabled gets no tokens, and can neither be changed nor deleted', async () => {
    const { config, tokens } = await connected(acme)
    const [{ client_id } = { client_id: '' }] = await documentClients(acme)
    const change = (body: object) => acme.call(clients.update, { params: { client_id }, body })

    expect((await change({ skip_consent: true })).status).toBe(409)
    expect((await acme.call(clients.delete, { params: { client_id } })).status).toBe(409)
    expect((await change({ status: 'disabled' })).status).toBe(200)
    const refresh = refreshTokenGrant(config, tokens.refresh_token ?? '', resourceOf(acme))
    await expect(refresh).rejects.toMatchObject({ error: 'invalid_client' })
    await change({ status: 'active' })
  })

  test('is not one of the other tenant’s clients there', async () => {
    const [{ client_id } = { client_id: '' }] = await documentClients(acme)

    expect((await other.call(clients.get, { params: { client_id } })).status).toBe(404)
  })
})

describe('refused, and nobody is called', () => {
  test.each([
    ['without a resource', { resource: '' }, URL_ID],
    ['for the API', { resource: 'api' }, URL_ID],
    ['from a host that the tenant does not list', {}, 'https://evil.example/client.json'],
    ['by the id under which a tenant stores it', {}, 'stored'],
  ])('is a request %s', async (_, over: { resource?: string }, id) => {
    const [{ client_id } = { client_id: '' }] = await documentClients(acme)
    const asked = await requestOf(acme, {}, id === 'stored' ? client_id : id)
    const { searchParams } = asked.url
    if (over.resource === '') searchParams.delete('resource')
    if (over.resource === 'api') searchParams.set('resource', local.apiUrl)
    const place = await new Browser(local.appUrl).open(asked.url.href)

    expect(place.text).toContain('invalid_client')
    expect(fetched).toEqual([])
  })

  test('is a request to a tenant that takes registered clients only', async () => {
    const settings = (clientsOf: string) =>
      other.call(tenants.update, {
        params: { tenant_id: other.tenant_id },
        body: { settings: { mcp: { clients: clientsOf } } },
      })
    await settings('registered')
    const { url } = await requestOf(other)

    expect((await new Browser(local.appUrl).open(url.href)).text).toContain('invalid_client')
    expect(fetched).toEqual([])
    await settings('hosts')
  })
})

test.each([
  ['is about another client', { client_id: 'https://claude.ai/oauth/another' }],
  ['does not list the redirect URI', { redirect_uris: ['https://claude.ai/other'] }],
])('a document that %s does not lead back', async (_, over) => {
  document = { ...document, ...over }
  const { url } = await requestOf(acme)
  const place = await new Browser(local.appUrl).open(url.href)

  expect(place.text).toMatch(/invalid_client|invalid_redirect_uri/)
})
