// Verifies a JWT against the key set of its issuer. Key set and algorithm are fixed by the caller and this file: keys and key
// addresses in the token's header are ignored.
import { createRemoteJWKSet, decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose'
import { unavailable } from '../../base/lib/failure.ts'
import { memory } from '../../base/lib/memory.ts'

const KEYS_KEPT_MS = 3_600_000
/** An unknown key id makes the set load again, at most this often. */
const COOLDOWN_MS = 30_000
const TIMEOUT_MS = 3_000
const TOLERANCE_SECONDS = 5

type KeySet = ReturnType<typeof createRemoteJWKSet>

const keySets = memory<KeySet>()

/** The key set at that address, cached for an hour. */
export function keySet(url: string): KeySet {
  const known = keySets.get(url)
  if (known) return known
  const options = { cacheMaxAge: KEYS_KEPT_MS, cooldownDuration: COOLDOWN_MS, timeoutDuration: TIMEOUT_MS }
  const set = createRemoteJWKSet(new URL(url), options)
  keySets.set(url, set)
  return set
}

/** The issuer that a token claims. Nothing of it is verified yet. */
export function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

type Expected = { issuer: string; claims: readonly string[]; now: number } & Pick<JWTVerifyOptions, 'audience' | 'typ'>

/** The claims of a valid token; undefined for any other. Throws 503 when the keys cannot be read. */
export async function verifyToken(token: string, keys: KeySet, expected: Expected): Promise<JWTPayload | undefined> {
  const { claims, now, ...options } = expected
  try {
    const { payload } = await jwtVerify(token, keys, {
      ...options,
      algorithms: ['RS256'],
      requiredClaims: [...claims, 'iat', 'exp'],
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(now),
    })
    return payload
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw unavailable('The keys of the token issuer cannot be read. Try again later.', error)
  }
}

/** Errors of reading the key set, which say nothing about the token. */
const OUTAGES = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code]

const isRefusal = (error: unknown) => error instanceof errors.JOSEError && !OUTAGES.includes(error.code)
