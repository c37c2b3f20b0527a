// Time-based one-time codes (RFC 6238) as every authenticator app makes them: SHA-1, 6 digits, steps of 30 seconds.
import { createHmac } from 'node:crypto'
import { sameBytes } from '../../base/lib/json.ts'

/** The length that RFC 4226 section 4 recommends. */
export const SECRET_BYTES = 20

const DIGITS = 6
const PERIOD_S = 30
/** Steps by which the clock of a phone may be off, either way. */
const DRIFT = 1
const ISSUER = 'Countersign'

/** The step of an instant (ms). */
export const stepAt = (now: number): number => Math.floor(now / (PERIOD_S * 1_000))

/** The code of one step: RFC 4226 section 5.3 over the step's number. */
export function codeAt(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 15
  const number = (mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 10 ** digits
  return String(number).padStart(digits, '0')
}

/** `usedUpTo`: the last step that was accepted. It and all before it are spent (RFC 6238 section 5.2). */
type Moment = { now: number; usedUpTo: number }

/**
 * The step that a code belongs to; undefined when it is wrong or spent. All steps are compared, so that timing reveals
 * nothing.
 */
export function stepOfCode(secret: Uint8Array, code: string, { now, usedUpTo }: Moment): number | undefined {
  const given = Buffer.from(code)
  const present = stepAt(now)
  const steps = Array.from({ length: 2 * DRIFT + 1 }, (_, index) => present - DRIFT + index)
  const fitting = steps.filter((step) => sameBytes(Buffer.from(codeAt(secret, step)), given))
  return fitting.find((step) => step > usedUpTo)
}

/** The content of a QR code for an app (key URI format). `account` is its label in the app. */
export function otpauthUri(secret: Uint8Array, account: string): string {
  const label = `${ISSUER}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${ISSUER}&algorithm=SHA1&digits=${DIGITS}&period=${PERIOD_S}`
}

/** Base32 of RFC 4648, which authenticator apps read; ids use another alphabet. */
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
