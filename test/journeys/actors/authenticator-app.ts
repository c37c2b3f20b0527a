// An authenticator app that knows nothing but the URI of a QR code (RFC 6238, key URI format).
import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code that the app shows now, or some steps from now: a code is taken once, and one step ahead is close enough. */
export function codeFrom(otpauthUri: string, stepsAhead = 0): string {
  const asked = new URL(otpauthUri).searchParams
  const bits = [...(asked.get('secret') ?? '')].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
  const secret = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1_000 / Number(asked.get('period'))) + stepsAhead))
  const mac = createHmac(asked.get('algorithm') ?? '', secret)
    .update(counter)
    .digest()
  const number = mac.readUInt32BE(mac.readUInt8(mac.length - 1) & 15) & 0x7f_ff_ff_ff
  const digits = Number(asked.get('digits'))
  return String(number % 10 ** digits).padStart(digits, '0')
}
