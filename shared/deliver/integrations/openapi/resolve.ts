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

/**
 * A path item or an operation, and everything that its references lead to: itself first, which wins. The specification lets only path
 * items refer, but documents that are written in several files let operations do so, too.
 */
export function layersOf(document: JsonMap, value: unknown): JsonMap[] {
  const layers: JsonMap[] = []
  let at = value
  while (layers.length <= CHAIN_MAX) {
    if (!isObject(at)) throw new Skipped('broken_reference')
    layers.push(at)
    const reference = textAt(at, '$ref')
    if (reference === undefined) return layers
    at = pointedAt(document, reference)
  }
  throw new Skipped('broken_reference')
}

/** What a reference points to: a pointer into the document (RFC 6901), an `$anchor`, or the `$id` of a schema in it. */
export function pointedAt(document: JsonMap, reference: string): unknown {
  const [address = '', ...fragments] = reference.split('#')
  const fragment = fragments.join('#')
  const isHere = address === '' || address === textAt(document, '$self')
  const root = isHere ? document : namesOf(document).ids.get(address)
  if (root === undefined) throw new Skipped('remote_reference', reference)
  if (fragment === '') return root
  if (fragment.startsWith('/')) return atPointer(root, fragment, reference)
  const found = namesOf(document).anchors.get(fragment)
  if (found === undefined) throw new Skipped('broken_reference', reference)
  return found
}

function atPointer(root: unknown, pointer: string, reference: string): unknown {
  let at = root
  for (const step of pointer.slice(1).split('/')) {
    const name = decoded(step, reference).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name))
      throw new Skipped('broken_reference', reference)
    at = Reflect.get(at, name)
  }
  return at
}

function decoded(step: string, reference: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    throw new Skipped('broken_reference', reference)
  }
}

type Names = { anchors: Map<string, JsonMap>; ids: Map<string, JsonMap> }
const namesKnown = new WeakMap<JsonMap, Names>()

/** The schemas of a document that have a name of their own. The document is walked once, and only when a reference needs it. */
function namesOf(document: JsonMap): Names {
  const known = namesKnown.get(document)
  if (known) return known
  const names: Names = { anchors: new Map(), ids: new Map() }
  const seen = new Set<object>()
  const twice = new Set<string>()
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (isObject(value)) {
      const id = textAt(value, '$id')?.replace(/#$/, '')
      if (id) names.ids.set(id, value)
      const anchor = textAt(value, '$anchor') ?? textAt(value, '$dynamicAnchor')
      if (anchor && names.anchors.has(anchor)) twice.add(anchor)
      else if (anchor) names.anchors.set(anchor, value)
    }
    for (const inner of Object.values(value)) walk(inner)
  }
  walk(document)
  for (const anchor of twice) names.anchors.delete(anchor) // which one is meant depends on `$id`s around it
  namesKnown.set(document, names)
  return names
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
  | 'malformed'
  | 'other_server'
  | 'remote_reference'
  | 'required_authorization'
  | 'required_cookie'
  | 'unsupported_body'
  | 'unsupported_encoding'
  | 'unsupported_method'
  | 'unsupported_parameter'
  | 'unsupported_path'

/** Thrown while an operation is converted. */
export class Skipped extends Error {
  readonly reason: SkipReason
  /** The part of the document that is the cause: a reference, a server, a media type. */
  readonly detail: string | undefined

  constructor(reason: SkipReason, detail?: string) {
    super(reason)
    this.reason = reason
    this.detail = detail?.slice(0, DETAIL_MAX)
  }
}

const DETAIL_MAX = 200
