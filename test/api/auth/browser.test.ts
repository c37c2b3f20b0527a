// The page behind a mailed link in a real browser: by keyboard alone and without script, under its own security policy.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { users } from '../../../functions/users/routes.ts'
import { chromiumPath, launchChromium, NO_CHROMIUM } from '../../support/chromium.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { logIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

if (chromiumPath === undefined) console.warn(NO_CHROMIUM)

const local = useLocalStack()
let acme: TestTenant
let browser: Browser

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  beforeAll(async () => {
    acme = await local.tenant()
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser.close()
  })

  /** The page of an invitation, on which nothing was refused by the security policy when the test ends. */
  async function invited(email: string, run: (page: Page) => Promise<void>): Promise<void> {
    const { call } = await signIn(local, acme.owner)
    await call(users.invite, { body: { email, roles: ['member'] } })
    const link = (await mailsTo(local, email))[0]?.links[0] ?? ''
    const context = await browser.newContext({ javaScriptEnabled: false, colorScheme: 'dark' })
    const page = await context.newPage()
    const refused: string[] = []
    page.on('console', (message) => message.text().includes('Content Security Policy') && refused.push(message.text()))
    await page.goto(link)
    await run(page)
    await context.close()
    expect(refused).toEqual([])
  }

  test('a person joins by keyboard, and the browser itself holds them to the rule of the password', async () => {
    const email = 'ben@keyboard.example'

    await invited(email, async (page) => {
      const { keyboard } = page
      await page.locator('#name:focus').waitFor() // the browser gives it to the first empty field with its first frame
      await keyboard.type('Ben')
      await keyboard.press('Tab')
      await keyboard.type('too short')
      await keyboard.press('Tab')
      await keyboard.type(PASSWORD)
      await keyboard.press('Enter')
      await page.locator('#password:focus').waitFor() // sent back to it
      await keyboard.press('ControlOrMeta+A')
      await keyboard.type(PASSWORD)
      await keyboard.press('Tab')
      await keyboard.press('Tab')
      await keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Your password is set' }).waitFor()
    })

    expect((await logIn(local, { email, password: PASSWORD })).body.user).toMatchObject({ name: 'Ben' })
  })

  test('a screen reader announces two passwords that differ, and the name need not be typed again', async () => {
    await invited('cleo@keyboard.example', async (page) => {
      await page.getByLabel('Your name').fill('Cleo')
      await page.getByLabel('New password').fill(PASSWORD)
      await page.getByLabel('The same password again').fill(`${PASSWORD}!`)
      await page.keyboard.press('Enter')

      expect(await page.getByRole('alert').textContent()).toBe('The two passwords differ.')
      expect(await page.getByLabel('Your name').inputValue()).toBe('Cleo')
      await page.locator('#password:focus').waitFor()
    })
  })

  test('nothing is cut off on a small phone, not even a long name of a tenant', async () => {
    await invited('dora@keyboard.example', async (page) => {
      await page.setViewportSize({ width: 320, height: 640 })
      await page.locator('h1').evaluate((heading) => (heading.textContent = `Join ${'x'.repeat(120)}`))

      expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBe(320)
    })
  })
})
