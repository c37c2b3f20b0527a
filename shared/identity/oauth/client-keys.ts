// Checks the keys with which a client authenticates (RFC 7523). They must be public and readable: the library would accept
// others at registration and then refuse the client at its first request.
import { createPublicKey } from 'node:crypto'

/** Members of private and symmetric keys (RFC 7518, section 6). */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']
const TEXTS = ['kty', 'alg', 'kid', 'use']

/** Why a set of keys cannot be registered; undefined when it can. */
export function keysProblem(keys: readonly Record<string, unknown>[]): string | undefined {
  if (keys.length === 0) return 'The set holds no key. Add one.'
  if (keys.some((key) => PRIVATE.some((name) => name in key)))
    return 'The set holds a private or symmetric key. Send public keys only, and replace this one.'
  return keys.every(isReadable) ? undefined : 'A key cannot be read. Send RSA, EC or OKP keys (RFC 7517).'
}

function isReadable(key: Record<string, unknown>): boolean {
  const { x5c = [] } = key
  const isChain = Array.isArray(x5c) && x5c.every((one) => typeof one === 'string' && one !== '')
  if (!isChain || TEXTS.some((name) => name in key && (typeof key[name] !== 'string' || key[name] === ''))) return false
  try {
    createPublicKey({ key, format: 'jwk' }) // throws for any member that is not valid
    return true
  } catch {
    return false
  }
}
