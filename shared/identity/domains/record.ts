// The TXT record that proves control of a domain: a random value at a name with an underscore
// (draft-ietf-dnsop-domain-verification-techniques). Other records at that name are ignored.
import { sameBytes } from '../../base/lib/json.ts'
import { base32, type RandomBytes } from '../../base/lib/ids.ts'

export const RECORD_TTL_SECONDS = 300

export const recordName = (domain: string): string => `_countersign-verify.${domain}`
export const recordValue = (token: string): string => `token=${token}`

/** 32 random bytes in base32 without padding. */
export const newToken = (random: RandomBytes): string => base32(random(16)) + base32(random(16))

export type Found = 'match' | 'mismatch' | 'not_found'

/** `records`: the TXT records at the name, each as a list of its strings. One match is enough. */
export function readRecords(records: readonly (readonly string[])[], token: string): Found {
  if (records.length === 0) return 'not_found'
  return records.some((strings) => proves(strings.join(''), token)) ? 'match' : 'mismatch'
}

/** Accepts `token=<t>`, also before further `key=value` pairs, or the token alone. */
function proves(text: string, token: string): boolean {
  const [first = '', ...rest] = text.trim().split(/\s+/)
  const named = first.startsWith('token=')
  if (!named && rest.length > 0) return false
  return sameBytes(Buffer.from(named ? first.slice('token='.length) : first), Buffer.from(token))
}
