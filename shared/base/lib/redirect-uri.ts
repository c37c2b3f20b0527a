// Rules for redirect URIs (RFC 8252, RFC 9700). No other app or page may be able to receive a code.

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Characters that `URL` would repair and characters of patterns. URIs are compared exactly, so none may hold them. */
const INEXACT = /[*#\s\\]/

/** Why a URI may not be registered; undefined when it may. */
export function redirectUriProblem(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  if (!url || !uri.isWellFormed()) return 'The URI must be absolute.'
  if (INEXACT.test(uri)) return 'The URI must hold no fragment, wildcard, space or backslash.'
  if (url.username !== '' || url.password !== '') return 'The URI must hold no credentials.'
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:')
    return LOOPBACK.has(url.hostname) ? undefined : 'Use https; http is for loopback addresses only.'
  return url.protocol.includes('.') ? undefined : 'Use a reversed domain name with a dot as a private-use scheme.'
}

/**
 * Addresses of products whose scheme is no reversed domain name. They register them beside others in one request, which would be
 * refused as a whole. Another app on the same machine could claim the scheme; without the PKCE verifier or the secret of the client, its
 * code gives no tokens.
 */
const OF_PRODUCTS: ReadonlySet<string> = new Set(['cursor://anysphere.cursor-mcp/oauth/callback'])

/** The same for a client of OAuth, which proves who it is when it redeems a code. */
export const clientRedirectUriProblem = (uri: string): string | undefined =>
  OF_PRODUCTS.has(uri) ? undefined : redirectUriProblem(uri)

/** Only native apps receive codes on a loopback port or by a private-use scheme. */
export const applicationType = (redirectUris: readonly string[]): 'native' | 'web' =>
  redirectUris.every((uri) => uri.startsWith('https:')) ? 'web' : 'native'

/** No certificate exists for loopback, so the library refuses a native app that has an https URI there. */
export const isAppWithLoopbackTls = (uris: readonly string[]): boolean =>
  applicationType(uris) === 'native' &&
  uris.map((uri) => URL.parse(uri)).some((url) => url?.protocol === 'https:' && LOOPBACK.has(url.hostname))

/** An address of the machine on which the browser runs. */
export const isLoopback = ({ protocol, hostname }: URL): boolean =>
  LOOPBACK.has(hostname) && (protocol === 'http:' || protocol === 'https:')

/** The origin of a redirect URI, for `form-action` and CORS. A private-use scheme is its own origin. */
export function originOf(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}
