// Follows the references of a document. Only those into the document itself are followed: nothing is fetched.
import { isObject, type JsonMap, textAt } from './json-map.ts'
import { Skipped } from './skipped.ts'

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
