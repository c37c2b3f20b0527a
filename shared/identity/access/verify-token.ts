// Verification of a JWT against the key set of its issuer. The key set and the algorithm are ours to choose: whatever the
// token's own header says of keys is ignored.
import { createRemoteJWKSet, decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose'
import { unavailable } from '../../base/lib/failure.ts'
import { memory } from '../../base/lib/memory.ts'

const KEYS_KEPT_MS = 3_600_000
/** A key that is not in the set makes it read again, at most this often. */
const COOLDOWN_MS = 30_000
const TIMEOUT_MS = 3_000
const TOLERANCE_SECONDS = 5

type KeySet = ReturnType<typeof createRemoteJWKSet>

const keySets = memory<KeySet>()

/** The key set at that address, which a container keeps for an hour. */
export function keySet(url: string): KeySet {
  const known = keySets.get(url)
  if (known) return known
  const options = { cacheMaxAge: KEYS_KEPT_MS, cooldownDuration: COOLDOWN_MS, timeoutDuration: TIMEOUT_MS }
  const set = createRemoteJWKSet(new URL(url), options)
  keySets.set(url, set)
  return set
}

/** Who a token says has issued it, before anything about it is known to be true. */
export function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

type Expected = { issuer: string; claims: readonly string[]; now: number } & Pick<JWTVerifyOptions, 'audience' | 'typ'>

/** The claims of a genuine token that has not expired; undefined for any other. Throws 503 when the keys cannot be read. */
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
    throw unavailable('The keys of the token issuer cannot be read.', error)
  }
}

/** Not among the refusals: a key set that did not come, or came broken. */
const OUTAGES = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code]

const isRefusal = (error: unknown) => error instanceof errors.JOSEError && !OUTAGES.includes(error.code)
