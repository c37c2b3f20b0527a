import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Browser } from '../../support/browser.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import {
  agree,
  authorizationRequest,
  CODE_CLIENT,
  discovered,
  exchange,
  followClock,
  newClient,
} from '../../support/oauth.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const AFTERWARDS = 'https://client.example/bye'

const local = useLocalStack()
let acme: TestTenant
let config: client.Configuration

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
  config = await discovered(local, await newClient(acme, { ...CODE_CLIENT, post_logout_redirect_uris: [AFTERWARDS] }))
})
afterAll(() => {
  vi.restoreAllMocks()
})

/** A browser that is signed in, with the tokens that came of it. */
async function signedIn() {
  const asked = await authorizationRequest(config, { scope: 'openid' })
  const browser = new Browser(local.appUrl)
  return { browser, tokens: await exchange(config, await agree(browser, asked.url, acme.owner), asked) }
}

const asksToSignIn = async (browser: Browser) =>
  (await browser.open((await authorizationRequest(config, { scope: 'openid' })).url.href)).text.includes(
    '<h1>Sign in</h1>',
  )

describe('signing out', () => {
  test('asks first, then ends the login of the browser and leads back to the client', async () => {
    const { browser, tokens } = await signedIn()
    const url = client.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: AFTERWARDS,
      state: 'here',
    })

    const page = await browser.open(url.href)
    const place = await browser.submit(page, { logout: 'yes' })

    expect(page.text).toContain('You are signed in here for Reporter')
    expect(page.headers['content-security-policy']).toContain(`form-action 'self' https://client.example;`)
    expect(place.url).toBe(`${AFTERWARDS}?state=here`)
    expect(await asksToSignIn(browser)).toBe(true)
  })

  test('leaves everything as it is for a person who stays', async () => {
    const { browser } = await signedIn()
    const page = await browser.open(`${local.appUrl}/oauth/logout`)

    const place = await browser.submit(page, {})

    expect(place.text).toContain('You are still signed in')
    expect(await asksToSignIn(browser)).toBe(false)
  })

  test('ends the one application for a person who stays, and says which', async () => {
    const { browser, tokens } = await signedIn()
    const page = await browser.open(`${local.appUrl}/oauth/logout?id_token_hint=${tokens.id_token}`)

    const place = await browser.submit(page, {})

    expect(place.text).toContain('You are still signed in')
    expect(place.text).toContain('Only Reporter was signed out.')
  })

  test('without an address of the client ends on a page that says so', async () => {
    const { browser } = await signedIn()
    const page = await browser.open(`${local.appUrl}/oauth/logout?post_logout_redirect_uri=https://evil.example/`)

    const place = await browser.submit(page, { logout: 'yes' })

    expect(place.text).toContain('You are signed out')
    expect(place.url).toBe(`${local.appUrl}/oauth/logout/success`)
  })

  test('takes no form that it did not show', async () => {
    const { browser } = await signedIn()
    const page = await browser.open(`${local.appUrl}/oauth/logout`)

    const place = await browser.submit(page, { logout: 'yes', xsrf: 'another' })

    expect(place.status).toBe(400)
    expect(await asksToSignIn(browser)).toBe(false)
  })
})
