// The cookie that binds a sign-in to its browser. SAML answers come as a form posted by another site, so the cookie must be
// sent with requests from other sites.
import { newSecret } from '../access/one-time.ts'
import type { Context } from '../../base/context.ts'
import type { Headers } from '../../base/wire/rest-event.ts'
import { env } from '../../base/lib/env.ts'

const SECONDS = 600
const VALUE = /^[\w-]{43}$/

/** Browsers accept cookies with the prefix `__Host-` only over https. */
const isSecure = () => env('BASE_URL').startsWith('https:')
const nameOf = () => (isSecure() ? '__Host-sso' : 'sso')

/** Undefined when there is no valid cookie. */
export function readCookie(headers: Headers): string | undefined {
  const start = `${nameOf()}=`
  const pairs = (headers.cookie ?? '').split(/[;,]/).map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(start))?.slice(start.length)
  return value !== undefined && VALUE.test(value) ? value : undefined
}

/** The cookie of the browser or a new one. It is kept, so that a second tab does not break the sign-in of the first. */
export const cookieFor = (ctx: Context, headers: Headers): string => readCookie(headers) ?? newSecret(ctx.random)

export function cookieHeader(value: string): { 'Set-Cookie': string } {
  const attributes = isSecure() ? '; Secure; SameSite=None' : ''
  return { 'Set-Cookie': `${nameOf()}=${value}; Path=/; Max-Age=${SECONDS}; HttpOnly${attributes}` }
}
