import { beforeAll, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { Browser } from '../../support/browser.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { authorizationRequest, discovered, followClock, newClient } from '../../support/oauth.ts'
import { logIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const NEXT = 'another battery staple'

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant
beforeAll(async () => {
  followClock(local)
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
})

const ask = (fields: Record<string, string>) =>
  local.call(auth.submitForgot, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

const resetsTo = async (email: string) =>
  (await mailsTo(local, email)).filter(({ kind }) => kind === 'password_reset').length

const linksOf = (text: string) =>
  [...text.matchAll(/href="(http[^"]*)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'))

describe('the way from a sign-in page to a new password', () => {
  test('leads back to what one was signing in to, and the other sessions have ended', async () => {
    const { url } = await authorizationRequest(await discovered(local, await newClient(acme)))
    const browser = new Browser(local.appUrl)
    const signIn = await browser.open(url.href)
    const before = await logIn(local, acme.owner)
    const forgotten = await browser.open(linksOf(signIn.text).find((link) => link.includes('/auth/forgot')) ?? '')
    const sent = await browser.submit(forgotten, { email: acme.owner.email })
    expect(sent.text).toContain('<h1>Look into your mailbox</h1>')

    const link = (await mailsTo(local, acme.owner.email)).findLast(({ kind }) => kind === 'password_reset')?.links[0]
    const form = await browser.open(link ?? '')
    const done = await browser.submit(form, { password: NEXT, repeated: NEXT })

    const back = linksOf(done.text)
    expect(back).toEqual([expect.stringContaining(`${local.appUrl}/oauth/interaction/`)])
    expect((await browser.open(back[0] ?? '')).text).toContain('<h1>Sign in</h1>')
    const headers = { authorization: `Bearer ${before.body.access_token}` }
    expect((await local.call(auth.me, { headers })).status).toBe(401)
    const kinds = (await mailsTo(local, acme.owner.email)).map(({ kind }) => kind)
    expect(kinds).toContain('password_changed')
  })

  test('leads nowhere but to our own sign-in pages', async () => {
    const hostile = [
      'https://evil.example/',
      '//evil.example',
      '/oauth/interaction/x/../../evil',
      '/auth/password?token=x',
    ]
    for (const back of hostile) {
      const { status, body } = await local.call(auth.forgotPage, { query: { back } })
      expect({ status, links: linksOf(body) }).toEqual({ status: 200, links: [] })
    }
  })
})

describe('POST /auth/forgot', () => {
  test('200: says the same of an address with and without an account, and mails only the first', async () => {
    const email = 'nobody@nowhere.example'
    const [known, unknown] = [await ask({ email: other.owner.email }), await ask({ email })]

    expect(known.status).toBe(200)
    expect(unknown.status).toBe(200)
    expect(known.body.replaceAll(other.owner.email, email)).toBe(unknown.body)
    expect([await resetsTo(other.owner.email), await resetsTo(email)]).toEqual([1, 0])
  })

  test('mails only the account of the tenant that one was signing in to, and five times an hour', async () => {
    const { email } = other.approver
    await ask({ email, tenant: acme.tenant_id })
    expect(await resetsTo(email)).toBe(0)

    for (let i = 0; i < 6; i += 1) await ask({ email, tenant: other.tenant_id })
    expect(await resetsTo(email)).toBe(5)
    expect((await logIn(local, { email, password: PASSWORD })).status).toBe(200)
  })

  test('422: an address that is none', async () => {
    expect((await ask({ email: 'nobody' })).status).toBe(422)
  })
})

describe('GET /auth/forgot', () => {
  test('200: sends nothing, keeps its address to itself and needs no script', async () => {
    const { body, headers } = await local.call(auth.forgotPage, { query: { tenant: acme.tenant_id } })

    expect(body).toContain(`name="tenant" value="${acme.tenant_id}"`)
    expect(body).toMatch(/<label for="email">/)
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
    expect(body).not.toMatch(/<script|style=|\bon[a-z]+=/)
  })
})
