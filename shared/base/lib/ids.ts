// Ids are a prefix and a ULID: they sort by time, and their 80 random bits make them hard to guess. Of approvals, the bits are keyed and
// the time is coarse (approvals/repeats.ts).

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BASE32_OF_16_BYTES = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Source of random bytes; tests pass a seeded one. */
export type RandomBytes = (size: number) => Uint8Array

/** Crockford base32 of 16 bytes: 26 characters, most significant first. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let rest = 0
  let bits = 2 // 26 characters hold 130 bits: two zeros, then the bytes
  for (const byte of bytes) {
    rest = (rest << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += CROCKFORD[(rest >>> (bits - 5)) & 31]
    rest &= 31
  }
  return text
}

/** Reverses `base32`. Throws on text that it cannot produce. */
export function fromBase32(text: string): Uint8Array {
  if (!BASE32_OF_16_BYTES.test(text)) throw new RangeError('not the base32 of 16 bytes')
  const bytes = new Uint8Array(16)
  let rest = 0
  let bits = -2 // the first character holds three bits
  let at = 0
  for (const character of text) {
    rest = ((rest & 127) << 5) | CROCKFORD.indexOf(character)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[at] = rest >>> bits
    at += 1
  }
  return bytes
}

/** A ULID of the given instant (ms). */
export function ulid(now: number, random: RandomBytes): string {
  let text = ''
  let rest = now
  for (let i = 0; i < 10; i += 1) {
    text = CROCKFORD[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  const bytes = random(16)
  for (const byte of bytes) text += CROCKFORD[byte & 31]
  return text
}

/** The instant (ms) inside a ULID, with or without a prefix. */
export function timeOfId(id: string): number {
  let time = 0
  for (const character of id.slice(-26, -16)) time = time * 32 + CROCKFORD.indexOf(character)
  return time
}

/** The smallest id of an instant (ms). Ids begin with their time, so bounds of time become bounds of ids. */
export const firstId = (prefix: string, at: number): string => `${prefix}_${ulid(at, (size) => new Uint8Array(size))}`

/** `exe` → /^exe_<ULID>$/ */
export const idPattern = (prefix: string) => new RegExp(`^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`)

const KEY = idPattern('key')
const CLIENT = idPattern('cli')

/**
 * Whether the id has the form of a key or client id. Agents must not use such ids, since they would pass for a credential.
 */
export const isCredentialId = (id: string): boolean => KEY.test(id) || CLIENT.test(id)
