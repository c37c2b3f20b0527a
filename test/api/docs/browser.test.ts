// The documentation in a real browser, which enforces its security policy.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, launchChromium, NO_CHROMIUM } from '../../support/chromium.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

if (chromiumPath === undefined) console.warn(NO_CHROMIUM)

const local = useLocalStack()
let browser: Browser

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser.close()
  })

  /** A page on which the security policy refused nothing and no script failed when the test ends. */
  async function withPage(run: (page: Page) => Promise<void>, options: { javaScriptEnabled?: boolean } = {}) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => message.text().includes('Content Security Policy') && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    await run(page)
    await context.close()
    expect(problems).toEqual([])
  }

  test.each(['', '/protocol', '/guide-policies', '/events'])(
    '/docs%s fits a telephone, also without script',
    async (name) => {
      await withPage(
        async (page) => {
          await page.goto(`${local.appUrl}/docs${name}`)

          expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBe(390)
          expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
        },
        { javaScriptEnabled: false },
      )
    },
  )

  test('the search finds an operation by keyboard, and its page opens there', async () => {
    await withPage(async (page) => {
      await page.goto(`${local.appUrl}/docs`)
      await page.keyboard.press('/')
      await page.keyboard.type('approves held')
      await page.locator('#found a').first().waitFor()
      await page.keyboard.press('Tab')
      await Promise.all([page.waitForURL(/approvals#approvals-approve$/), page.keyboard.press('Enter')])
      await page.getByRole('heading', { name: 'Approves a held action, which then runs' }).waitFor()
    })
  })

  test('a test key tries an operation, and a live key is refused before anything is sent', async () => {
    const tenant = await local.tenant()
    await withPage(async (page) => {
      const sent: string[] = []
      page.on('request', (request) => request.url().startsWith(local.apiUrl) && sent.push(request.method()))
      await page.goto(`${local.appUrl}/docs/protocol`)
      const form = page.locator('section', { has: page.locator('#protocol-list-manifests') })
      await form.getByText('Try it').click()
      const key = form.getByLabel('Test key')
      await key.fill(tenant.live_key)
      await form.getByRole('button', { name: 'Send' }).click()
      await form.getByText('This is a live key.').waitFor()
      expect(sent).toEqual([])

      await key.fill(tenant.test_key)
      await form.getByRole('button', { name: 'Send' }).click()
      await form.getByRole('heading', { name: 'Status 200' }).waitFor()
      expect(await form.getByText('"items"').count()).toBe(1)
    })
  })
})
