// The TXT record that proves the control of a domain: a random value under an underscored name of its own
// (draft-ietf-dnsop-domain-verification-techniques). What else the name holds is nobody's business.
import { sameBytes } from '../../base/lib/hash.ts'
import { base32, type RandomBytes } from '../../base/lib/ids.ts'

export const RECORD_TTL_SECONDS = 300

export const recordName = (domain: string): string => `_countersign-verify.${domain}`
export const recordValue = (token: string): string => `token=${token}`

/** 32 random bytes in base32 without padding. */
export const newToken = (random: RandomBytes): string => base32(random(16)) + base32(random(16))

export type Found = 'match' | 'mismatch' | 'not_found'

/** `records`: the TXT records at the name, each as the strings it is made of. One that matches is enough. */
export function readRecords(records: readonly (readonly string[])[], token: string): Found {
  if (records.length === 0) return 'not_found'
  return records.some((strings) => proves(strings.join(''), token)) ? 'match' : 'mismatch'
}

/** `token=<t>`, also before further `key=value`, or the token alone. */
function proves(text: string, token: string): boolean {
  const [first = '', ...rest] = text.trim().split(/\s+/)
  const named = first.startsWith('token=')
  if (!named && rest.length > 0) return false
  return sameBytes(Buffer.from(named ? first.slice('token='.length) : first), Buffer.from(token))
}
