// RFC 8785 (JSON Canonicalization Scheme): all JSON that is hashed, signed or compared is serialised here. Also the hashes themselves.
import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined }

/**
 * The canonical text of a JSON value: keys sorted by UTF-16 code units, no white space, undefined members dropped.
 * Throws on values that JSON cannot carry exactly: NaN, infinities, lone surrogates, functions, BigInt.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('number is not finite')
      return value === 0 ? '0' : String(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object': {
      if (value === null) return 'null'
      if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
      const record = value as Record<string, unknown>
      let text = ''
      for (const key of Object.keys(record).sort()) {
        if (record[key] !== undefined) text += `${text && ','}${quoted(key)}:${canonicalJson(record[key])}`
      }
      return `{${text}}`
    }
    default:
      throw new TypeError(`${typeof value} is not JSON`)
  }
}

/** Characters that JSON escapes, or that may be half of a surrogate pair. */
const UNUSUAL = /[^ !#-[\]-~]/

function quoted(text: string): string {
  if (!UNUSUAL.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new TypeError('lone surrogate')
  return JSON.stringify(text)
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The members that have a value: those that a change names. */
export const given = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T> // only members are left out

export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer')
export const sha256Hex = (data: string | Uint8Array): string => hash('sha256', data, 'hex')
export const hmacSha256 = (key: string | Uint8Array, data: string | Uint8Array): Buffer =>
  createHmac('sha256', typeof key === 'string' ? key : keyObject(key))
    .update(data)
    .digest()

/** Imported keys, because Node imports a key given as bytes on each use, which costs five times the HMAC itself. */
const imported = new WeakMap<Uint8Array, KeyObject>()

function keyObject(key: Uint8Array): KeyObject {
  const known = imported.get(key)
  if (known) return known
  const object = createSecretKey(key)
  imported.set(key, object)
  return object
}

/** 32 bytes derived from the deployment's root secret for one purpose (RFC 5869). */
export const derive = (root: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', root, new Uint8Array(), purpose, 32))

/** Constant-time comparison; false when the lengths differ. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

const OFFSET = 0x81_1c_9d_c5
const PRIME = 0x01_00_01_93

/** FNV-1a, 32 bits, over the UTF-8 bytes of a text. Not cryptographic: it spreads names over buckets. */
export function fnv1a32(text: string): number {
  let sum = OFFSET
  for (const byte of Buffer.from(text)) sum = Math.imul(sum ^ byte, PRIME)
  return sum >>> 0
}

/** Whether a decimal is a whole multiple of another, both as JSON writes them. */
export function isMultiple(value: number, of: number): boolean {
  const [a, b] = [decimalOf(value), decimalOf(of)]
  const exponent = Math.min(a.exponent, b.exponent)
  const scaled = (one: Decimal) => one.digits * 10n ** BigInt(one.exponent - exponent)
  return b.digits !== 0n && scaled(a) % scaled(b) === 0n
}

type Decimal = { digits: bigint; exponent: number }

/** `1.25e-7` is 125 with the exponent -9. */
function decimalOf(value: number): Decimal {
  const [mantissa = '0', power = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}
