// Follows the references of a document. Only those into the document itself are followed: nothing is fetched.

const CHAIN_MAX = 50

/** The object that stands at a place, at the end of its chain of references. Throws `Skipped`. */
export function resolved(document: JsonMap, value: unknown): JsonMap {
  let at = value
  for (let steps = 0; steps <= CHAIN_MAX; steps += 1) {
    if (!isObject(at)) throw new Skipped('broken_reference')
    const reference = textAt(at, '$ref')
    if (reference === undefined) return at
    at = pointedAt(document, reference)
  }
  throw new Skipped('broken_reference')
}

/** What a local reference points to (RFC 6901 in a URI fragment). */
export function pointedAt(document: JsonMap, reference: string): unknown {
  if (!reference.startsWith('#')) throw new Skipped('remote_reference')
  if (reference === '#') return document
  if (!reference.startsWith('#/')) throw new Skipped('broken_reference')
  let at: unknown = document
  for (const step of reference.slice(2).split('/')) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) throw new Skipped('broken_reference')
    at = Reflect.get(at, name)
  }
  return at
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    throw new Skipped('broken_reference')
  }
}

/** Part of a document that nobody has checked. Members are read by `member`, because `__proto__` may be one of them. */
export type JsonMap = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const member = (of: JsonMap, name: string): unknown => (Object.hasOwn(of, name) ? of[name] : undefined)

export const mapAt = (of: JsonMap, name: string): JsonMap => {
  const value = member(of, name)
  return isObject(value) ? value : {}
}

export const listAt = (of: JsonMap, name: string): readonly unknown[] => {
  const value = member(of, name)
  return Array.isArray(value) ? value : []
}

export const textAt = (of: JsonMap, name: string): string | undefined => {
  const value = member(of, name)
  return typeof value === 'string' ? value : undefined
}

/** Why an operation of a document cannot become an action. */
export type SkipReason =
  | 'broken_reference'
  | 'deprecated'
  | 'remote_reference'
  | 'required_authorization'
  | 'required_cookie'
  | 'unsupported_body'
  | 'unsupported_method'
  | 'unsupported_parameter'
  | 'unsupported_path'

/** Thrown while an operation is converted. */
export class Skipped extends Error {
  readonly reason: SkipReason

  constructor(reason: SkipReason) {
    super(reason)
    this.reason = reason
  }
}
