// The pages that a person sees on the way to a connection and a plan, in a real browser, which enforces their security policy also
// on the way back.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { billing } from '../../../functions/billing/routes.ts'
import { integrations } from '../../../functions/integrations/routes.ts'
import { chromiumPath, launchChromium, NO_CHROMIUM } from '../../support/chromium.ts'
import { bodyOf } from '../../support/governed.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

if (chromiumPath === undefined) console.warn(NO_CHROMIUM)

/** Of a telephone. */
const WIDTH = 390

const local = useLocalStack()
let acme: TestTenant
let browser: Browser

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  beforeAll(async () => {
    acme = await local.tenant({ plan: 'free' })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser.close()
  })

  /** A page of a telephone without script, on which nothing was refused by the security policy when the test ends. */
  async function withPage(run: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: WIDTH, height: 844 } })
    const page = await context.newPage()
    const refused: string[] = []
    page.on('console', (message) => message.text().includes('Content Security Policy') && refused.push(message.text()))
    await run(page)
    await context.close()
    expect(refused).toEqual([])
  }

  /** Nothing is wider than the screen. */
  const fits = async (page: Page) =>
    expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBe(WIDTH)

  /** By keyboard, from the top of the page. */
  async function choose(page: Page, name: string): Promise<void> {
    await fits(page)
    const button = page.getByRole('button', { name, exact: true })
    for (let tabs = 0; tabs < 10; tabs += 1) {
      await page.keyboard.press('Tab')
      if (await button.evaluate((element) => element.matches(':focus-visible'))) return page.keyboard.press('Enter')
    }
    throw new Error(`nobody reaches ${name}`)
  }

  test('a person agrees by keyboard, and comes back to what completes the connection', async () => {
    const params = { id: 'github' }
    const { auth_url } = bodyOf(await acme.call(integrations.startAuth, { params, body: {} }), 200)
    await withPage(async (page) => {
      await page.goto(auth_url)
      await page.getByRole('heading', { name: 'Connect GitHub?' }).waitFor()
      expect(await page.getByRole('listitem').allTextContents()).toEqual(['repo', 'read:org'])
      await Promise.all([page.waitForURL(/console\/connected/), choose(page, 'Allow')])
      await page.getByRole('heading', { name: 'One step is left' }).waitFor()
      await fits(page)
      const shown = (await page.locator('pre').textContent()) ?? ''
      const [, url = ''] = /^curl -s (\S+) /.exec(shown) ?? []
      const [, body = ''] = /-d '([^']+)'$/.exec(shown) ?? []
      const headers = { 'x-api-key': acme.live_key, 'content-type': 'application/json' }
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
    })
  })

  test('a person who denies comes back, too', async () => {
    const params = { id: 'gitlab' }
    const { auth_url } = bodyOf(await acme.call(integrations.startAuth, { params, body: {} }), 200)
    await withPage(async (page) => {
      await page.goto(auth_url)
      await Promise.all([page.waitForURL(/console\/connected/), choose(page, 'Deny')])
      expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
    })
  })

  test('a person pays by keyboard after a card was declined, and changes the plan', async () => {
    const urls = { success_url: `${local.appUrl}/docs`, cancel_url: `${local.appUrl}/console/connected` }
    const page = async (plan_id: string) =>
      bodyOf(await acme.call(billing.checkout, { body: { plan_id, ...urls } }), 200).checkout_url
    await withPage(async (shown) => {
      await shown.goto(await page('team'))
      await choose(shown, 'Pay with a card that is declined')
      await shown.getByRole('alert').waitFor()
      await Promise.all([shown.waitForURL(urls.success_url), choose(shown, 'Pay')])
      await local.drain()
      await shown.goto(await page('business'))
      await Promise.all([shown.waitForURL(urls.cancel_url), choose(shown, 'Go back')])
      await shown.goto(await page('business'))
      await Promise.all([shown.waitForURL(urls.success_url), choose(shown, 'Confirm')])
      await local.drain()
    })
    expect(bodyOf(await acme.call(billing.getSubscription), 200)).toMatchObject({
      plan_id: 'business',
      status: 'active',
    })
  })
})
