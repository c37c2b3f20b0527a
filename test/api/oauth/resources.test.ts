import { authorizationCodeGrant, refreshTokenGrant } from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { mcpResource } from '../../../shared/identity/oauth/resources.ts'
import { Browser } from '../../support/browser.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import {
  type Asked,
  authorizationRequest,
  authorized,
  CODE_CLIENT,
  discovered,
  followClock,
  newClient,
} from '../../support/oauth.ts'
import { claimsOf } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant
let config: Awaited<ReturnType<typeof discovered>>

beforeAll(async () => {
  followClock(local)
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
  const scopes = [...CODE_CLIENT.scopes, 'agent:execute']
  config = await discovered(local, await newClient(acme, { ...CODE_CLIENT, scopes }))
})
afterAll(() => {
  vi.restoreAllMocks()
})

const tools = (over = {}) => ({
  resource: mcpResource(acme.tenant_id),
  scope: 'agent:execute governance:read offline_access',
  ...over,
})

/** The tokens for a code; without an ID token, since `openid` was not asked for. */
const exchangeFor = ({ url }: { url: string }, { verifier, state }: Asked) =>
  authorizationCodeGrant(config, new URL(url), { pkceCodeVerifier: verifier, expectedState: state })

/** A request without `openid`, which may have no nonce. */
async function requestFor(over: Record<string, string>) {
  const asked = await authorizationRequest(config, over)
  asked.url.searchParams.delete('nonce')
  return asked
}

describe('a client that asks for the tools of its tenant', () => {
  test('needs no openid, is agreed to once, and gets tokens for the tools alone, also when it refreshes', async () => {
    const asked = await requestFor(tools())
    const browser = new Browser(local.appUrl)
    const consent = await browser.press(await browser.open(asked.url.href), 'password', {
      email: acme.owner.email,
      password: PASSWORD,
    })
    expect(consent.text).toMatch(/connect to <strong>tenant-\d+<\/strong> and use its actions as tools/)
    const place = await browser.press(consent, 'allow')
    expect(place.url).toMatch(/^https:\/\/client\.example\/callback\?code=/)
    const tokens = await exchangeFor(place, asked)

    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: mcpResource(acme.tenant_id), tenant_id: acme.tenant_id })
    const parameters = { resource: mcpResource(acme.tenant_id) }
    const fresh = await refreshTokenGrant(config, tokens.refresh_token ?? '', parameters)
    expect(claimsOf(fresh.access_token)).toMatchObject({ aud: mcpResource(acme.tenant_id) })
    expect((await acme.as({ key: tokens.access_token }).call(approvals.list)).status).toBe(401)
  })

  test.each([
    ['another tenant', () => mcpResource(other.tenant_id)],
    ['no tenant that could be', () => `${local.apiUrl}/mcp/ten_x`],
    ['its tenant, spelt otherwise', () => `${mcpResource(acme.tenant_id)}/`],
  ])('of %s is refused', async (_, resource) => {
    const { url } = await requestFor(tools({ resource: resource() }))
    const place = await new Browser(local.appUrl).open(url.href)

    expect(new URL(place.url).searchParams.get('error')).toBe('invalid_target')
  })
})

test('naming the API as the resource gives a token for the API without openid', async () => {
  const asked = await requestFor({ resource: local.apiUrl, scope: 'governance:read' })
  const browser = new Browser(local.appUrl)
  const form = await browser.open(asked.url.href)
  const consent = await browser.press(form, 'password', { email: acme.owner.email, password: PASSWORD })
  const tokens = await exchangeFor(await browser.press(consent, 'allow'), asked)

  expect(claimsOf(tokens.access_token)).toMatchObject({ aud: local.apiUrl, scope: 'governance:read' })
  expect((await acme.as({ key: tokens.access_token }).call(approvals.list)).status).toBe(200)
})

test('a token for both needs two authorisations', async () => {
  const { tokens } = await authorized(local, config, acme.owner)

  await expect(
    refreshTokenGrant(config, tokens.refresh_token ?? '', { resource: mcpResource(acme.tenant_id) }),
  ).rejects.toMatchObject({ error: 'invalid_target' })
})
