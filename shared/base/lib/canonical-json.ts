// RFC 8785 (JSON Canonicalization Scheme). All JSON that is hashed, signed or compared is serialised here.

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

/** What JSON writes in another way, and what may be no well-formed text. */
const UNUSUAL = /[^ !#-[\]-~]/

function quoted(text: string): string {
  if (!UNUSUAL.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new TypeError('lone surrogate')
  return JSON.stringify(text)
}
