// The words in which the linear models read an action: its context (`<node>/<action>`), and one or more for each leaf of the
// payload: the context, a space, the path of the leaf as a JSON Pointer with `[]` for elements, and what the leaf holds. Only
// their hashes are ever needed, so no token is written out: each goes on from the hash of what it begins with.
import { fnv1a } from './fnv.ts'

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
