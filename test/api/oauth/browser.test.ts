// The pages of a sign-in in a real browser: by keyboard alone and without script, in which the browser itself enforces the
// security policy, also on the way to the client.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mfa } from '../../../functions/mfa/routes.ts'
import { chromiumPath, launchChromium, NO_CHROMIUM } from '../../support/chromium.ts'
import { enrolTotp } from '../../support/factors.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { authorizationRequest, CODE_CLIENT, discovered, exchange, newClient } from '../../support/oauth.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

if (chromiumPath === undefined) console.warn(NO_CHROMIUM)

const local = useLocalStack()
let acme: TestTenant
let browser: Browser
let client: Server
let callback: string

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  beforeAll(async () => {
    acme = await local.tenant()
    browser = await launchChromium()
    client = createServer((_, response) => response.end('<title>client</title>'))
    await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve))
    callback = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback` // a TCP server always has one
  })
  afterAll(async () => {
    await browser.close()
    client.close()
  })

  /** A page on which nothing was refused by the security policy when the test ends. */
  async function withPage(options: Parameters<Browser['newContext']>[0], run: (page: Page) => Promise<void>) {
    const context: BrowserContext = await browser.newContext(options)
    const page = await context.newPage()
    const refused: string[] = []
    page.on('console', (message) => message.text().includes('Content Security Policy') && refused.push(message.text()))
    await run(page)
    await context.close()
    expect(refused.filter((text) => !text.includes('data:,'))).toEqual([])
  }

  const registered = () => newClient(acme, { ...CODE_CLIENT, redirect_uris: [callback] })

  test('a person signs in and agrees by keyboard, without script', async () => {
    const config = await discovered(local, await registered())
    const asked = await authorizationRequest(config, { redirect_uri: callback })

    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(asked.url.href)
      await page.locator('#email:focus').waitFor() // the browser gives it to the first field with its first frame
      await page.keyboard.type(acme.owner.email)
      await page.keyboard.press('Tab')
      await page.keyboard.type(PASSWORD)
      await Promise.all([page.waitForURL(/interaction/), page.keyboard.press('Enter')])
      await page.getByRole('heading', { name: 'Give access?' }).waitFor()
      await tabTo(page, 'Allow')
      await Promise.all([page.waitForURL(/\/callback\?/), page.keyboard.press('Enter')])

      const tokens = await exchange(config, { url: page.url() }, asked)
      expect(tokens.claims()?.sub).toBe(acme.owner.id)
    })
  })

  test('every field has a label, and a screen reader announces a wrong password', async () => {
    const config = await discovered(local, await registered())
    const asked = await authorizationRequest(config, { redirect_uri: callback })

    await withPage({ javaScriptEnabled: false, colorScheme: 'dark' }, async (page) => {
      await page.goto(asked.url.href)
      await page.getByLabel('E-mail address').fill(acme.owner.email)
      await page.getByLabel('Password').fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()

      expect(await page.getByRole('alert').textContent()).toBe(
        'The e-mail address or the password is incorrect. Check both and try again.',
      )
      expect(await page.getByLabel('Password').getAttribute('aria-describedby')).toBe('problem')
      expect(await page.getByLabel('E-mail address').inputValue()).toBe(acme.owner.email)
      expect(await page.evaluate(`getComputedStyle(document.querySelector('button')).borderRadius`)).not.toBe('0px')
    })
  })

  test('a second factor is a code where there is no script', async () => {
    const tenant = await local.tenant()
    const config = await discovered(local, await newClient(tenant, { ...CODE_CLIENT, redirect_uris: [callback] }))
    const { app } = await enrolTotp(local, await signIn(local, tenant.owner))
    const asked = await authorizationRequest(config, { redirect_uri: callback })

    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(asked.url.href)
      await page.getByLabel('E-mail address').fill(tenant.owner.email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByLabel('Code from your app, or a recovery code').fill(app.nextCode())
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Give access?' }).waitFor()
    })
  })

  test('with script it may be a passkey, for which the page asks the browser', async () => {
    const tenant = await local.tenant()
    const config = await discovered(local, await newClient(tenant, { ...CODE_CLIENT, redirect_uris: [callback] }))
    const asked = await authorizationRequest(config, { redirect_uri: callback })
    const { call } = await signIn(local, tenant.owner)
    const { body } = await call(mfa.passkeyOptions, { body: { purpose: 'register' } })

    await withPage({}, async (page) => {
      await plugAuthenticator(page)
      await page.goto(asked.url.href)
      const credential = await makePasskey(page, body.options)
      await call(mfa.addPasskey, { body: { challenge_id: body.challenge_id, credential, name: 'Laptop' } })
      await page.getByLabel('E-mail address').fill(tenant.owner.email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Use a passkey or security key' }).click()
      await page.getByRole('heading', { name: 'Give access?' }).waitFor()
      await Promise.all([page.waitForURL(/\/callback\?/), page.getByRole('button', { name: 'Allow' }).click()])

      const tokens = await exchange(config, { url: page.url() }, asked)
      expect(tokens.claims()?.amr).toEqual(expect.arrayContaining(['pwd', 'mfa']))
    })
  })
})

/** A security key that is always there and whose person always agrees. */
async function plugAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** Registers a passkey in the page's origin; given and answered in the JSON forms of the standard. */
const makePasskey = (page: Page, options: object): Promise<object> =>
  page.evaluate(`
    navigator.credentials
      .create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)}) })
      .then((credential) => credential.toJSON())
  `)

/** Presses Tab until a button of that name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name })
  for (let presses = 0; presses < 10; presses += 1) {
    if (await button.evaluate((one) => one.ownerDocument.activeElement === one)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} cannot be reached by Tab`)
}
