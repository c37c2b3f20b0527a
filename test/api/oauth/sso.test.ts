// People of a tenant with an identity provider: to it and back to the interaction that they came from. What the provider
// says is tested with single sign-on itself; here it is done when the one-time code exists.
import * as client from 'openid-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { openTable, systemContext } from '../../../shared/base/context.ts'
import { HOUR_MS, iso, MINUTE_MS } from '../../../shared/base/lib/clock.ts'
import { users } from '../../../shared/identity/accounts/user.ts'
import { ssoConfigurations } from '../../../shared/identity/sso/settings/configuration.ts'
import { createCode } from '../../../shared/identity/sso/one-time-code.ts'
import { Browser } from '../../support/browser.ts'
import { enrolTotp } from '../../support/factors.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { authorizationRequest, discovered, exchange, followClock, newClient } from '../../support/oauth.ts'
import { ownerInPerson, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant
let config: client.Configuration

beforeAll(async () => {
  followClock(local)
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
  config = await discovered(local, await newClient(acme))
  await configure(acme)
})
afterAll(() => {
  vi.restoreAllMocks()
})

async function configure({ tenant_id }: TestTenant): Promise<void> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const at = iso(ctx.now())
  const item = {
    tenant_id,
    protocol: 'oidc' as const,
    enabled: true,
    enforce: false,
    domains: ['acme.example'],
    jit: true,
    default_roles: ['member'],
    role_mappings: [],
    roles_authoritative: false,
    trust_idp_mfa: true,
    login_redirect_uris: [],
    attribute_map: {},
    sp: { certificate: '', private_key: '' },
    created_at: at,
    updated_at: at,
  }
  await ctx.table.commit([ssoConfigurations.insert(item)])
}

async function atPassword() {
  const asked = await authorizationRequest(config)
  const browser = new Browser(local.appUrl)
  const page = await browser.open(asked.url.href)
  return { asked, browser, page, uid: page.url.split('/').at(-1) ?? '' }
}

const codeFor = (interaction: string, { tenant_id, owner }: TestTenant = acme, over: object = {}) =>
  createCode(systemContext({ tenant_id, mode: 'live' }), {
    tenant_id,
    user_id: owner.id,
    amr: ['pwd', 'mfa'],
    trusted_mfa: true,
    interaction,
    ...over,
  })

test('the page for the password leads to the identity provider, and names the interaction to come back to', async () => {
  const { page, uid } = await atPassword()
  const link = /<a href="([^"]*)">Sign in with your organisation<\/a>/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')

  expect(link).toBe(`${local.appUrl}/auth/sso/start?tenant=${acme.tenant_id}&interaction=${uid}`)
})

test('a person who comes back is signed in as the provider has said', async () => {
  const { asked, browser, page, uid } = await atPassword()

  const consent = await browser.open(`${page.url}?code=${await codeFor(uid)}`)
  const tokens = await exchange(config, await browser.press(consent, 'allow'), asked)

  expect(consent.text).toContain('Give access?')
  expect(tokens.claims()).toMatchObject({ sub: acme.owner.id, amr: ['pwd', 'mfa'] })
})

test('a person with a second factor here must show it, also after one at the provider, on a page that can be loaded again', async () => {
  const { browser, page, uid } = await atPassword()
  await enrolTotp(local, await signIn(local, acme.approver))
  const code = await codeFor(uid, acme, { user_id: acme.approver.id })

  const asked = await browser.open(`${page.url}?code=${code}`)
  const again = await browser.open(asked.url)

  expect(asked.url).toBe(page.url)
  expect(asked.text).toContain('Your organisation has signed you in.')
  expect([again.status, again.text]).toEqual([200, asked.text])
})

const callWith = async (key: string) => (await local.call(oauth.userinfo, { key })).status

async function connected(over: object) {
  const { asked, browser, page, uid } = await atPassword()
  let place = await browser.open(`${page.url}?code=${await codeFor(uid, acme, over)}`)
  if (place.text.includes('<h1>Give access?</h1>')) place = await browser.press(place, 'allow')
  return { browser, tokens: await exchange(config, place, asked) }
}

const refreshed = async ({ refresh_token = '' }: { refresh_token?: string }) =>
  client.refreshTokenGrant(config, refresh_token)

const isAsked = async (browser: Browser) =>
  (await browser.open((await authorizationRequest(config)).url.href)).text.includes('<h1>Sign in</h1>')

test('when the session at the identity provider ends, so do login, token and refresh', async () => {
  const { browser, tokens } = await connected({ session_cap: iso(local.clock.now() + 20 * MINUTE_MS) })
  local.clock.moveTo(local.clock.now() + 10 * MINUTE_MS)
  const later = await refreshed(tokens)
  expect(later.expires_in).toBeCloseTo(600, -1)
  expect([await callWith(later.access_token), await isAsked(browser)]).toEqual([200, false])
  local.clock.moveTo(local.clock.now() + 10 * MINUTE_MS)

  expect([await callWith(later.access_token), await isAsked(browser)]).toEqual([401, true])
  await expect(refreshed(later)).rejects.toMatchObject({ error: 'invalid_grant' })
})

test('roles of the identity provider act through a client no longer than a session, and others do', async () => {
  const { owner, tenant_id } = acme
  const { call } = await ownerInPerson(local, acme)
  const policy = { lifetime_s: HOUR_MS / 1_000, refresh_ttl_s: HOUR_MS / 1_000 }
  expect((await call(auth.setSessionPolicy, { params: { tenant_id }, body: policy })).status).toBe(200)
  local.clock.moveTo(local.clock.now() + MINUTE_MS)
  const [byHand, byProvider] = [await connected({}), await connected({})]
  local.clock.moveTo(local.clock.now() + 50 * MINUTE_MS)
  const [one, bounded] = [await refreshed(byHand.tokens), await refreshed(byProvider.tokens)]
  local.clock.moveTo(local.clock.now() + 10 * MINUTE_MS)
  expect([await callWith(one.access_token), await isAsked(byHand.browser)]).toEqual([200, true])
  expect((await refreshed(one)).access_token).toBeDefined()

  const was = await openTable().get(users, { tenant_id, id: owner.id })
  if (!was) throw new Error('no owner')
  await openTable().commit([users.replace({ ...was, sso_roles: ['approver'] }, was)])
  await expect(refreshed(bounded)).rejects.toMatchObject({ error: 'invalid_grant' })
  const anew = await connected({})
  local.clock.moveTo(local.clock.now() + 50 * MINUTE_MS)
  expect((await refreshed(anew.tokens)).expires_in).toBeCloseTo(600, -1)
})

test('a code of another interaction, of another tenant, or a used one signs nobody in', async () => {
  const first = await atPassword()
  const used = await codeFor(first.uid)
  await first.browser.open(`${first.page.url}?code=${used}`)

  for (const make of [() => codeFor('another'), (uid: string) => codeFor(uid, other), async () => used]) {
    const { browser, page, uid } = await atPassword()
    const place = await browser.open(`${page.url}?code=${await make(uid)}`)

    expect(place.status).toBe(401)
    expect(place.text).toContain('<h1>Sign in</h1>')
  }
})
