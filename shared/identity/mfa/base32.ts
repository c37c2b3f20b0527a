// Base32 of RFC 4648, which authenticator apps read; ids use another alphabet.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Without padding, as the key URI format wants it. */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let rest = 0
  let bits = 0
  for (const byte of bytes) {
    rest = (rest << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(rest >>> (bits - 5)) & 31]
    rest &= (1 << bits) - 1
  }
  return bits > 0 ? text + ALPHABET[(rest << (5 - bits)) & 31] : text
}

/** What a person meant to type: any case, with spaces and dashes, and digits in place of the letters they look like. */
export const readBase32 = (text: string): string =>
  text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('0', 'O').replaceAll('1', 'I').replaceAll('8', 'B')
