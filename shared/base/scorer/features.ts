// The features of an action: its tokens, hashed into a fixed number of weights. The tokens are its context (`<node>/<action>`), and one or
// more for each leaf of the payload: the context, a space, the path of the leaf as a JSON Pointer with `[]` for elements, and its value.
// Only their hashes are ever needed, so no token is written out: each hash goes on from the hash of the token's beginning.

export const WEIGHTS = 65_536

/** A sparse vector, with ascending indices. */
export type Features = { indices: Uint16Array; values: Float64Array }

export function featuresOf(context: string, payload: unknown): Features {
  const found: number[] = []
  eachToken(context, payload, (hash) => void found.push(((hash & (WEIGHTS - 1)) << 1) | (hash >>> 31)))
  return ofLengthOne(counted(Int32Array.from(found).sort()))
}

/** The index of each token, followed by one bit for its sign: tokens that share an index cancel out on average. */
function counted(sorted: Int32Array): Features {
  const indices = new Uint16Array(sorted.length)
  const values = new Float64Array(sorted.length)
  let last = -1
  for (let at = 0; at < sorted.length; at += 1) {
    const entry = sorted[at] ?? 0
    if (last < 0 || indices[last] !== entry >> 1) last += 1
    indices[last] = entry >> 1
    values[last] = (values[last] ?? 0) + (entry & 1 ? -1 : 1)
  }
  return { indices: indices.subarray(0, last + 1), values: values.subarray(0, last + 1) }
}

/** So that a long payload does not weigh more than a short one. */
function ofLengthOne({ indices, values }: Features): Features {
  let squares = 0
  for (const value of values) squares += value * value
  const length = Math.sqrt(squares) || 1
  for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) / length
  return { indices, values }
}

/** The difference of two vectors. It is not brought to length 1: how far two actions differ is part of the comparison. */
export function minus(a: Features, b: Features): Features {
  const sums = new Map<number, number>()
  a.indices.forEach((index, at) => sums.set(index, a.values[at] ?? 0))
  b.indices.forEach((index, at) => sums.set(index, (sums.get(index) ?? 0) - (b.values[at] ?? 0)))
  const indices = Uint16Array.from(sums.keys()).sort()
  return { indices, values: Float64Array.from(indices, (index) => sums.get(index) ?? 0) }
}

const THRESHOLDS = [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000].map((from) => ({ from, rest: `>=${from}` }))
const MAX_LENGTH = 8
const MAX_WORDS = 64
const WORD = /\p{L}+|\p{Nd}+/gu
const DIGIT = /^\p{Nd}/u

type Emit = (hash: number) => void

/** Passes the hash of each token to `emit`; a token that occurs twice is passed twice. */
export function eachToken(context: string, payload: unknown, emit: Emit): void {
  const start = fnv1a(context)
  emit(start)
  leaf(fnv1a(' ', start), payload, emit)
}

/** `path`: the hash of the token up to here. */
function leaf(path: number, value: unknown, emit: Emit): void {
  if (typeof value === 'string') return words(path, value, emit)
  if (typeof value === 'number') return reached(path, value, emit)
  if (value === null || typeof value === 'boolean') return emit(fnv1a(`=${String(value)}`, path))
  if (Array.isArray(value)) return elements(path, value, emit)
  const members = value as Record<string, unknown>
  for (const name of Object.keys(members)) leaf(fnv1a(escaped(name), fnv1a('/', path)), members[name], emit)
}

/** A member's name as RFC 6901 writes it, so that no name passes for a deeper path. */
const escaped = (name: string): string =>
  name.includes('~') || name.includes('/') ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name

function elements(path: number, list: readonly unknown[], emit: Emit): void {
  emit(fnv1a(`#${Math.min(list.length, MAX_LENGTH)}`, path))
  const inside = fnv1a('/[]', path)
  for (const element of list) leaf(inside, element, emit)
}

/** One token for each threshold that the number reaches, so that a linear model can weigh ranges. */
function reached(path: number, value: number, emit: Emit): void {
  for (const { from, rest } of THRESHOLDS) {
    if (value < from) return
    emit(fnv1a(rest, path))
  }
}

/** Words and pairs of neighbours. Digits become `<n>`, because no two references are alike. */
function words(path: number, text: string, emit: Emit): void {
  const start = fnv1a(':', path)
  let former: number | undefined
  let left = MAX_WORDS
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (left === 0) return
    left -= 1
    const word = DIGIT.test(run) ? '<n>' : run
    if (former !== undefined) emit(fnv1a(word, fnv1a(' ', former)))
    former = fnv1a(word, start)
    emit(former)
  }
}

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
const utf8 = new TextEncoder()

/** FNV-1a of 32 bits over the UTF-8 of a text, as a signed number. It goes on from the hash of the text before, if there is one. */
export function fnv1a(text: string, before = OFFSET): number {
  let hash = before
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x80) return overBytes(hash, text.slice(at))
    hash = Math.imul(hash ^ unit, PRIME)
  }
  return hash
}

/** The slower way, from the first character on that takes more than one byte. */
function overBytes(start: number, text: string): number {
  let hash = start
  for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, PRIME)
  return hash
}
