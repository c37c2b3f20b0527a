// Parses request bodies, JSON and browser forms. It refuses values that JSON, canonical JSON or the table cannot carry exactly, before any
// code recurses into them or stores them.
import { Failure, malformed, type Violation } from '../lib/failure.ts'
import type { Json } from '../lib/json.ts'
import { bodyKind } from './media-type.ts'

export const BODY_BYTES_DEFAULT = 262_144
const DEPTH_MAX = 32
const KEY_MAX = 512
/** Exponents are the only spelling of a value that is shorter than its stored form: `1e15` grows fourfold. */
const EXPONENT = /\d[eE][+-]?\d/
const VIOLATIONS_MAX = 50

export type JsonObject = { [key: string]: Json | undefined }

/** The body as an object; empty bytes are an empty object. */
export function parseBody(bytes: Buffer, headers: Record<string, string>, bytesMax: number): JsonObject {
  const tooLarge = () => new Failure('too_large', `The request body exceeds ${bytesMax} bytes. Send a smaller one.`)
  if (bytes.length > bytesMax) throw tooLarge()
  checkHeaders(headers)
  const text = decode(bytes)
  if (text.trim() === '') return {}
  if (depthOf(text) > DEPTH_MAX)
    throw refusal([{ loc: ['body'], msg: `nested deeper than ${DEPTH_MAX}`, type: 'value_error' }])
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('The request body is not a JSON object. Send an object.')
  }
  const violations = awkward(value)
  if (violations.length > 0) throw refusal(violations)
  if (EXPONENT.test(text) && Buffer.byteLength(JSON.stringify(value)) > bytesMax) throw tooLarge()
  return value
}

const refusal = (violations: Violation[]) => new Failure('invalid', violations, { code: 'invalid' })

function checkHeaders(headers: Record<string, string>): void {
  const type = headers['content-type']
  if (type !== undefined && bodyKind(type) !== 'json')
    throw malformed('The Content-Type is not supported. Send application/json in UTF-8.')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw malformed('The Content-Encoding is not supported. Send the body uncompressed.')
  }
}

/** The bytes are no JSON at all. Some protocols have another error for JSON that they do not expect. */
export class NotJson extends Failure {
  constructor(detail: string) {
    super('malformed', detail)
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) // skips a byte order mark
  } catch {
    throw new NotJson('The request body is not valid UTF-8. Encode it as UTF-8.')
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    throw new NotJson('The request body is not valid JSON. Correct its syntax.')
  }
}

/**
 * The greatest nesting of brackets outside strings. Measured on the text, because deep nesting overflows a recursive
 * reader.
 */
export function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (quoted) {
      if (code === 92) i += 1
      else if (code === 34) quoted = false
    } else if (code === 34) quoted = true
    else if (code === 123 || code === 91) deepest = Math.max(deepest, (depth += 1))
    else if (code === 125 || code === 93) depth -= 1
  }
  return deepest
}

/** All values that JSON or the table cannot carry exactly, in document order, at most 50. */
const awkward = (root: Json): Violation[] => faults(root, ['body']).take(VIOLATIONS_MAX).toArray()

/** Recursive; the depth of the text has been checked before. */
function* faults(value: unknown, loc: Violation['loc']): Generator<Violation> {
  const msg = awkwardScalar(value)
  if (msg) yield { loc, msg, type: 'value_error' }
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield* faults(element, [...loc, index])
    return
  }
  for (const [key, member] of Object.entries(value)) {
    const fault = awkwardKey(key)
    if (fault) yield { loc, msg: fault, type: 'value_error' }
    else yield* faults(member, [...loc, key])
  }
}

function awkwardScalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'holds a lone surrogate'
  if (typeof value !== 'number') return undefined
  const exact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  return exact ? undefined : 'out of range; send it as a string'
}

function awkwardKey(key: string): string | undefined {
  if (key === '__proto__') return 'the key __proto__ is not allowed'
  if (key.length > KEY_MAX) return `a key is longer than ${KEY_MAX} characters`
  return key.isWellFormed() ? undefined : 'a key holds a lone surrogate'
}

/** Reads external JSON that is no request body by the same rules; undefined when it breaks one. */
export function parseExact(bytes: Buffer): Json | undefined {
  try {
    const text = decode(bytes)
    if (depthOf(text) > DEPTH_MAX) return undefined
    const value = parse(text)
    return awkward(value).length === 0 ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member, of JSON that no schema has described, that is an object; anything else counts as absent. */
export const objectAt = (of: JsonObject | undefined, name: string): JsonObject | undefined => {
  const value = of?.[name]
  return isObject(value) ? value : undefined
}

export const textAt = (of: JsonObject | undefined, name: string): string | undefined => {
  const value = of?.[name]
  return typeof value === 'string' ? value : undefined
}

/**
 * A form as browsers post it (WHATWG URL, application/x-www-form-urlencoded). Every field is a text; a repeated field is refused, because
 * it has no single value.
 */
export function parseForm(bytes: Buffer, headers: Record<string, string>, bytesMax: number): JsonObject {
  if (bytes.length > bytesMax)
    throw new Failure('too_large', `The request body exceeds ${bytesMax} bytes. Send a smaller one.`)
  if (bodyKind(headers['content-type']) !== 'form') {
    throw malformed('The Content-Type is not supported. Send application/x-www-form-urlencoded in UTF-8.')
  }
  const fields = [...new URLSearchParams(bytes.toString('utf8'))]
  const form = Object.fromEntries(fields)
  if (Object.keys(form).length !== fields.length)
    throw malformed('You sent a form field more than once. Send each field once.')
  return form
}
