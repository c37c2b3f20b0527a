// Ties a sign-in to the browser that began it. The answer may come as a form that another site posts, so the cookie must
// be sent with requests from there.
import { newSecret } from '../access/one-time.ts'
import type { Context } from '../../base/context.ts'
import type { Headers } from '../../base/wire/rest-event.ts'
import { env } from '../../base/lib/env.ts'

const SECONDS = 600
const VALUE = /^[\w-]{43}$/

/** Browsers take cookies with this prefix over https only. */
const isSecure = () => env('BASE_URL').startsWith('https:')
const nameOf = () => (isSecure() ? '__Host-sso' : 'sso')

/** Undefined when there is none, or none of ours. */
export function readCookie(headers: Headers): string | undefined {
  const start = `${nameOf()}=`
  const pairs = (headers.cookie ?? '').split(/[;,]/).map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(start))?.slice(start.length)
  return value !== undefined && VALUE.test(value) ? value : undefined
}

/** That of the browser, so that a second tab does not end what the first one began, or a new one. */
export const cookieFor = (ctx: Context, headers: Headers): string => readCookie(headers) ?? newSecret(ctx.random)

export function cookieHeader(value: string): { 'Set-Cookie': string } {
  const attributes = isSecure() ? '; Secure; SameSite=None' : ''
  return { 'Set-Cookie': `${nameOf()}=${value}; Path=/; Max-Age=${SECONDS}; HttpOnly${attributes}` }
}
