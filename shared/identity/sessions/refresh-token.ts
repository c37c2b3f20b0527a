// The refresh token that clients hold is ours, not the pool's: it names its session, and only a hash of its secret is
// stored.
import { hashOf } from '../access/one-time.ts'

const FORMAT = /^rt_([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/

export const refreshToken = (sid: string, secret: string): string => `rt_${sid}.${secret}`

/** The session it names and what is stored of its secret; undefined for anything that is no refresh token. */
export function readRefreshToken(text: string): { sid: string; hash: string } | undefined {
  const [, sid, secret] = FORMAT.exec(text) ?? []
  return sid && secret ? { sid, hash: hashOf(secret) } : undefined
}
