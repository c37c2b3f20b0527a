// Where a code may be sent (RFC 8252, RFC 9700): nothing that another app or page could claim for itself.

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** What `URL` would add or repair, and what looks like a pattern: only an exact address can be compared exactly. */
const INEXACT = /[*#\s\\]/

/** Why an address may not be registered; undefined when it may. */
export function redirectUriProblem(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  if (!url || !uri.isWellFormed()) return 'must be an absolute URI'
  if (INEXACT.test(uri)) return 'must hold no fragment, wildcard, space or backslash'
  if (url.username !== '' || url.password !== '') return 'must hold no credentials'
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:') return LOOPBACK.has(url.hostname) ? undefined : 'http is for loopback addresses only'
  return url.protocol.includes('.') ? undefined : 'a private-use scheme is a reversed domain name with a dot'
}

/** Apps on a device answer on a loopback port or by a scheme of their own, which servers and pages never do. */
export const applicationType = (redirectUris: readonly string[]): 'native' | 'web' =>
  redirectUris.every((uri) => uri.startsWith('https:')) ? 'web' : 'native'

/** Nobody can have a certificate for loopback, so the library refuses an app on a device that names it with https. */
export const isAppWithLoopbackTls = (uris: readonly string[]): boolean =>
  applicationType(uris) === 'native' &&
  uris.map((uri) => URL.parse(uri)).some((url) => url?.protocol === 'https:' && LOOPBACK.has(url.hostname))

/** The origins that may receive an answer, for `form-action` and CORS. A scheme of its own stands for itself. */
export function originOf(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}
