// What people see in a browser where programs get error bodies, over all routes that show pages.
import { beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../functions/api.ts'
import { auth } from '../../../functions/auth/routes.ts'
import { sso } from '../../../functions/sso/routes.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { type AnyCall, anyRoute } from '../../support/any-route.ts'
import { mustBeRefusal } from '../../support/error-body.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

const local = useLocalStack()
let call: AnyCall
beforeAll(async () => {
  call = anyRoute(local.call)
})

const showing: [string, Route][] = routes
  .filter(({ pages }) => pages)
  .map((route) => [`${route.method} ${route.path}`, route])

describe('an address that has spent its window', () => {
  const ip = '127.0.0.41'
  beforeAll(async () => {
    local.clock.moveTo(Math.ceil(local.clock.now() / 60_000) * 60_000)
    process.env.ADDRESS_RATE_FACTOR = String(1 / 300) // one request a minute
    await local.call(auth.passwordPage, { ip })
    return () => (process.env.ADDRESS_RATE_FACTOR = '20')
  })

  test.each(showing)('%s: 429 as a page for a browser, as data for a program', async (_, route) => {
    const [seen, read] = [await call(route, { ip, headers: BROWSER }), await call(route, { ip })]

    expect(seen.status).toBe(429)
    expect(seen.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'retry-after': expect.stringMatching(/^\d+$/),
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-ratelimit-category': 'auth',
    })
    expect(seen.body).toContain('<h1>Too many requests</h1>')
    expect(seen.body).toMatch(/Wait (a second|\d+ seconds), then try again\./)
    expect(seen.body).toContain(seen.headers['x-request-id'])
    expect(read.status).toBe(429)
    if (route.dialect !== 'oauth') mustBeRefusal(read)
    else expect(read.body).toEqual({ error: 'temporarily_unavailable' })
  })
})

test('what breaks a rule is told in a page, and nothing of it is repeated', async () => {
  const form = new URLSearchParams({ token: '<b>', password: 'x', repeated: 'x', name: '<i>'.repeat(200) })
  const reply = await local.call(auth.submitPassword, {
    body: form.toString(),
    headers: { ...BROWSER, 'content-type': 'application/x-www-form-urlencoded' },
  })

  expect(reply.status).toBe(422)
  expect(reply.body).toContain('<h1>This did not work</h1>')
  expect(reply.body).not.toMatch(/<[bi]>|&lt;/)
})

test('a link works with the parameters that mail programs and identity providers add to it', async () => {
  const query = { utm_source: 'mail', fbclid: 'x' }
  const token = 'missing'

  expect((await local.call(auth.verifyEmail, { query: { token, ...query } })).status).toBe(401)
  expect((await local.call(auth.passwordPage, { query: { token, ...query }, headers: BROWSER })).body).toContain(
    'This link is no longer valid',
  )
  const { body } = await local.call(sso.start, { query: { tenant: 'ten_missing', ...query }, headers: BROWSER })
  expect(body).toContain('Signing in did not work')
})
