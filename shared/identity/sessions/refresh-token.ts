// The refresh token that clients hold is the service's, not the pool's. It names its session. Only a hash of its secret is
// stored.
import { hashOf } from '../access/one-time.ts'

const FORMAT = /^rt_([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/

export const refreshToken = (sid: string, secret: string): string => `rt_${sid}.${secret}`

/** The session that it names and the hash of its secret; undefined for text that is not a refresh token. */
export function readRefreshToken(text: string): { sid: string; hash: string } | undefined {
  const [, sid, secret] = FORMAT.exec(text) ?? []
  return sid && secret ? { sid, hash: hashOf(secret) } : undefined
}
