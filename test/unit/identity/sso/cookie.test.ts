import { afterEach, describe, expect, test } from 'vitest'
import { cookieHeader, readCookie } from '../../../../shared/identity/sso/browser.ts'

const VALUE = 'a'.repeat(43)

const at = (url: string) => Object.assign(process.env, { BASE_URL: url })
afterEach(() => {
  delete process.env.BASE_URL
})

describe('the cookie of a sign-in', () => {
  test('over https comes back with what another site posts, and from no other host', () => {
    at('https://api.example')

    expect(cookieHeader(VALUE)['Set-Cookie']).toBe(
      `__Host-sso=${VALUE}; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=None`,
    )
    expect(readCookie({ cookie: `a=b; __Host-sso=${VALUE}` })).toBe(VALUE)
    expect(readCookie({ cookie: `sso=${VALUE}` })).toBeUndefined()
  })

  test('on a developer’s machine has no prefix, which browsers refuse there', () => {
    at('http://localhost:8080')

    expect(cookieHeader(VALUE)['Set-Cookie']).toBe(`sso=${VALUE}; Path=/; Max-Age=600; HttpOnly`)
    expect(readCookie({ cookie: `sso=${VALUE}, x=y` })).toBe(VALUE)
  })

  test.each<Record<string, string>>([{}, { cookie: '' }, { cookie: 'sso=short' }, { cookie: `other-sso=${VALUE}` }])(
    'is not in %j',
    (headers) => {
      at('http://localhost:8080')

      expect(readCookie(headers)).toBeUndefined()
    },
  )
})
