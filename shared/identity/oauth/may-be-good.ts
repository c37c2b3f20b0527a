// Whether the credential of a request could be good, as far as that shows without keys and without the table. It answers before
// the request reaches its function, which alone decides.

/** All values of the two headers that carry a credential. */
export type Sent = { authorization: readonly string[]; apiKey: readonly string[] }

/** What a token must be for, and the time in ms. */
type Expected = { issuer: string; audience: string; now: number }

const BEARER = /^Bearer +(\S+)$/i
const KEY = /^ak_/
/** As where the token is verified. */
const TOLERANCE_SECONDS = 5

/** False for no credential, and for one that is no key and can be no token for this audience. */
export function mayBeGood({ authorization, apiKey }: Sent, expected: Expected): boolean {
  if (apiKey.length > 0) return true
  const [only, ...others] = authorization
  const bearer = others.length === 0 ? BEARER.exec(only ?? '')?.[1] : undefined
  return bearer !== undefined && (KEY.test(bearer) || isPlausible(bearer, expected))
}

/** Nothing of the token is verified. */
function isPlausible(token: string, { issuer, audience, now }: Expected): boolean {
  const { iss, aud, exp } = claimsOf(token)
  return (
    iss === issuer && aud === audience && typeof exp === 'number' && exp + TOLERANCE_SECONDS > Math.floor(now / 1_000)
  )
}

/** Empty for anything but a JWT. */
function claimsOf(token: string): { iss?: unknown; aud?: unknown; exp?: unknown } {
  const [, payload = '', signature, ...more] = token.split('.')
  if (signature === undefined || more.length > 0) return {}
  try {
    return Object(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')))
  } catch {
    return {}
  }
}
