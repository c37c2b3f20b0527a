import type * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { users } from '../../../functions/users/routes.ts'
import { Browser, type Place } from '../../support/browser.ts'
import { enrolPasskey, enrolTotp, newEmulator } from '../../support/factors.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import {
  auditedActions,
  authorizationRequest,
  CALLBACK,
  discovered,
  exchange,
  followClock,
  newClient,
} from '../../support/oauth.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant
let config: client.Configuration

beforeAll(async () => {
  followClock(local)
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
  config = await discovered(local, await newClient(acme))
})
afterAll(() => {
  vi.restoreAllMocks()
})

/** A browser on the page for the password. */
async function atPassword(over: Record<string, string> = {}) {
  const asked = await authorizationRequest(config, over)
  const browser = new Browser(local.appUrl)
  return { asked, browser, page: await browser.open(asked.url.href) }
}

const titleOf = ({ text }: Place) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1]
const problemIn = ({ text }: Place) => /role="alert"[^>]*>([^<]*)</.exec(text)?.[1]

describe('the page for the password', () => {
  test('labels its fields, describes them to a password manager and loads nothing from elsewhere', async () => {
    const { page } = await atPassword({ login_hint: 'anna@example.com' })

    expect(titleOf(page)).toBe('Sign in')
    expect(page.text).toMatch(/<html lang="en">/)
    for (const [id, filled] of [
      ['email', 'username'],
      ['password', 'current-password'],
    ]) {
      expect(page.text).toMatch(new RegExp(`<label for="${id}">`))
      expect(page.text).toMatch(new RegExp(`autocomplete="${filled}"`))
    }
    expect(page.text).toContain('value="anna@example.com"')
    expect(page.text).toContain(`href="${local.appUrl}/auth/forgot?`)
    expect(page.text.replace(`href="${local.appUrl}/`, '')).not.toMatch(/<script (?!nonce=)|src=|href="http/)
    expect(page.text).toContain('<p class="host"><strong>')
    expect(page.text).toContain(`Afterwards you return to ${new URL(CALLBACK).origin}.`)
  })

  test('takes a passkey alone, by a script that its nonce permits', async () => {
    const tenant = await local.tenant()
    const emulator = newEmulator()
    await enrolPasskey(await signIn(local, tenant.owner), emulator, local.appUrl)
    const { url } = await authorizationRequest(await discovered(local, await newClient(tenant)))
    const browser = new Browser(local.appUrl)
    const page = await browser.open(url.href)
    const options = JSON.parse(/data-options="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&quot;', '"') ?? '')
    const wrong = await browser.press(page, 'passkey_only', { credential: '{}' })
    expect(problemIn(wrong)).toBe('Your passkey was not accepted. Try again, or sign in another way.')

    const credential = JSON.stringify(emulator.getJSON(local.appUrl, options))
    expect(titleOf(await browser.press(page, 'passkey_only', { credential }))).toBe('Give access?')
  })

  test('may send its form to us and on to the client, and be framed by nobody', async () => {
    const { page } = await atPassword()
    const policy = page.headers['content-security-policy'] ?? ''

    expect(policy).toContain(`form-action 'self' ${new URL(CALLBACK).origin};`)
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe-inline')
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  })

  test('answers a wrong password, an unknown address and a person of another tenant alike', async () => {
    const tries = [
      { email: acme.owner.email, password: 'wrong' },
      { email: 'nobody@example.com', password: PASSWORD },
      { email: other.owner.email, password: PASSWORD },
    ]

    for (const given of tries) {
      const { browser, page } = await atPassword()
      const again = await browser.press(page, 'password', given)
      expect([again.status, titleOf(again), problemIn(again)]).toEqual([
        401,
        'Sign in',
        'The e-mail address or the password is incorrect. Check both and try again.',
      ])
    }
  })

  test('shows what was entered as text', async () => {
    const { browser, page } = await atPassword()

    const again = await browser.press(page, 'password', { email: '"><script>alert(1)</script>', password: 'x' })

    expect(again.text).not.toMatch(/<script(?! nonce=)/)
    expect(again.text).toContain('&quot;&gt;&lt;script&gt;')
  })

  test('leads back to the client when the person cancels', async () => {
    const { browser, page } = await atPassword()
    const place = await browser.press(page, 'deny')

    expect(new URL(place.url).searchParams.get('error')).toBe('access_denied')
  })

  test.each([
    ['without its token', { token: '' }],
    ['with the token of another', { token: 'A'.repeat(43) }],
  ])('takes no form %s', async (_, fields) => {
    const { browser, page } = await atPassword()
    const reply = await browser.press(page, 'password', { email: acme.owner.email, password: PASSWORD, ...fields })

    expect([reply.status, titleOf(reply)]).toEqual([400, 'This request cannot be completed'])
  })

  test('is nothing in a browser that did not begin the sign-in', async () => {
    const { page } = await atPassword()
    const stranger = await new Browser(local.appUrl).open(page.url)

    expect([stranger.status, titleOf(stranger)]).toEqual([400, 'This request cannot be completed'])
  })

  test('is gone after ten minutes', async () => {
    const { browser, page } = await atPassword()
    local.clock.moveTo(local.clock.now() + 600_000)

    expect((await browser.open(page.url)).status).toBe(400)
  })
})

describe('the page for consent', () => {
  test('says what the client wants and where the way leads, and takes no for an answer', async () => {
    const { browser, page } = await atPassword({ scope: 'openid email governance:read' })
    const consent = await browser.press(page, 'password', { email: acme.owner.email, password: PASSWORD })
    const place = await browser.press(consent, 'deny')

    expect(titleOf(consent)).toBe('Give access?')
    expect(consent.text).toContain('Reporter wants to:')
    expect(consent.text).toContain('see your e-mail address')
    expect(consent.text).toContain('read actions, approvals and policies')
    expect(consent.text).not.toContain('run actions')
    expect(consent.text).toContain('https://client.example')
    expect(new URL(place.url).searchParams.get('error')).toBe('access_denied')
  })

  test('a sign-in on it is recorded, and so is the grant', async () => {
    const { browser, page } = await atPassword()
    await browser.press(await browser.press(page, 'password', { email: acme.owner.email, password: PASSWORD }), 'allow')

    expect(await auditedActions(acme)).toEqual(expect.arrayContaining(['session.started', 'oauth_grant.created']))
  })
})

describe('a browser that is signed in', () => {
  test('at another tenant is signed in at none here', async () => {
    const theirs = await discovered(local, await newClient(other))
    const { browser, page } = await atPassword()
    await browser.press(await browser.press(page, 'password', { email: acme.owner.email, password: PASSWORD }), 'allow')

    const place = await browser.open((await authorizationRequest(theirs)).url.href)

    expect(titleOf(place)).toBe('Sign in')
  })

  test('as somebody who was signed out everywhere must sign in again', async () => {
    const { browser, page } = await atPassword()
    await browser.press(await browser.press(page, 'password', { email: acme.owner.email, password: PASSWORD }), 'allow')
    const owner = await signIn(local, acme.owner)
    await owner.call(users.deleteSessions, { params: { id: acme.owner.id } })

    const place = await browser.open((await authorizationRequest(config)).url.href)

    expect(titleOf(place)).toBe('Sign in')
  })
})

describe('a second factor', () => {
  test('is asked for after the password: by code, each good once', async () => {
    const tenant = await local.tenant()
    const own = await discovered(local, await newClient(tenant))
    const { app } = await enrolTotp(local, await signIn(local, tenant.owner))
    const asked = await authorizationRequest(own)
    const browser = new Browser(local.appUrl)
    const given = { email: tenant.owner.email, password: PASSWORD }

    const page = await browser.press(await browser.open(asked.url.href), 'password', given)
    const wrong = await browser.press(page, 'code', { code: app.wrongCode() })
    const consent = await browser.press(wrong, 'code', { code: app.nextCode() })
    const tokens = await exchange(own, await browser.press(consent, 'allow'), asked)

    expect(titleOf(page)).toBe('Second factor')
    expect(page.text).not.toContain('name="password"')
    expect([wrong.status, problemIn(wrong)]).toEqual([
      401,
      'Your second factor was not accepted. Check it and try again.',
    ])
    expect(tokens.claims()?.amr).toEqual(['pwd', 'otp', 'mfa'])
  })

  test('is asked for after the password: by passkey, for which the page has a script of its own', async () => {
    const tenant = await local.tenant()
    const own = await discovered(local, await newClient(tenant))
    const emulator = newEmulator()
    await enrolPasskey(await signIn(local, tenant.owner), emulator, local.appUrl)
    const asked = await authorizationRequest(own)
    const browser = new Browser(local.appUrl)
    const given = { email: tenant.owner.email, password: PASSWORD }

    const page = await browser.press(await browser.open(asked.url.href), 'password', given)
    const options = JSON.parse(unescaped(/data-options="([^"]*)"/.exec(page.text)?.[1] ?? ''))
    const nonce = /<script nonce="([^"]*)">/.exec(page.text)?.[1]
    const credential = JSON.stringify(emulator.getJSON(local.appUrl, options))
    const consent = await browser.press(page, 'passkey', { credential })
    const tokens = await exchange(own, await browser.press(consent, 'allow'), asked)

    expect(page.headers['content-security-policy']).toContain(`script-src 'nonce-${nonce}';`)
    expect(tokens.claims()?.amr).toEqual(expect.arrayContaining(['pwd', 'mfa']))
  })

  test('that is wrong six times means to begin again', async () => {
    const tenant = await local.tenant()
    const own = await discovered(local, await newClient(tenant))
    const emulator = newEmulator()
    await enrolPasskey(await signIn(local, tenant.owner), emulator, local.appUrl)
    const browser = new Browser(local.appUrl)
    const given = { email: tenant.owner.email, password: PASSWORD }
    let page = await browser.press(await browser.open((await authorizationRequest(own)).url.href), 'password', given)

    for (let tries = 0; tries < 6; tries += 1) page = await browser.press(page, 'passkey', { credential: '{}' })

    expect([page.status, titleOf(page)]).toEqual([401, 'Sign in'])
  })
})

const unescaped = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
