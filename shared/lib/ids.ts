// Ids are a prefix and a ULID: time order is lexical order, 80 random bits make them unguessable enough to be names.

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Source of random bytes; the simulation passes a seeded one. */
export type RandomBytes = (size: number) => Uint8Array

/** Crockford base32 of 16 bytes: 26 characters, most significant first. */
export function base32(bytes: Uint8Array): string {
  let number = 0n
  for (const byte of bytes) number = (number << 8n) | BigInt(byte)
  let text = ''
  for (let i = 0; i < 26; i += 1) {
    text = CROCKFORD[Number(number & 31n)] + text
    number >>= 5n
  }
  return text
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

/** `exe` → /^exe_<ULID>$/ */
export const idPattern = (prefix: string) => new RegExp(`^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
