// The words in which the linear models read an action: its context (`<node>/<action>`) and one or more for each leaf of the payload.

const THRESHOLDS = [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000]
const MAX_LENGTH = 8
const MAX_WORDS = 64
const WORD = /\p{L}+|\p{Nd}+/gu
const DIGIT = /^\p{Nd}/u

/** A token in two parts: tokens of one leaf share the first, so that it is hashed once. */
type Emit = (path: string, rest: string) => void

/** Passes each token to `emit`; a token that occurs twice is passed twice. */
export function eachToken(context: string, payload: unknown, emit: Emit): void {
  emit(context, '')
  leaf(`${context} `, payload, emit)
}

export function tokensOf(context: string, payload: unknown): string[] {
  const tokens: string[] = []
  eachToken(context, payload, (path, rest) => tokens.push(path + rest))
  return tokens
}

function leaf(path: string, value: unknown, emit: Emit): void {
  if (typeof value === 'string') return words(path, value, emit)
  if (typeof value === 'number') return reached(path, value, emit)
  if (value === null || typeof value === 'boolean') return emit(path, `=${String(value)}`)
  if (Array.isArray(value)) {
    emit(path, `#${Math.min(value.length, MAX_LENGTH)}`)
    for (const element of value) leaf(`${path}/[]`, element, emit)
    return
  }
  for (const [name, member] of Object.entries(value as object)) leaf(`${path}/${escaped(name)}`, member, emit)
}

/** A member's name as RFC 6901 writes it, so that no name passes for a deeper path. */
const escaped = (name: string): string =>
  name.includes('~') || name.includes('/') ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name

/** One token for each threshold that the number reaches, so that a linear model can weigh ranges. */
function reached(path: string, value: number, emit: Emit): void {
  for (const threshold of THRESHOLDS) {
    if (value < threshold) return
    emit(path, `>=${threshold}`)
  }
}

/** Words and pairs of neighbours. Digits become `<n>`, because no two references are alike. */
function words(path: string, text: string, emit: Emit): void {
  let former = ''
  let left = MAX_WORDS
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (left === 0) return
    left -= 1
    const word = DIGIT.test(run) ? '<n>' : run
    emit(path, `:${word}`)
    if (former) emit(path, `:${former} ${word}`)
    former = word
  }
}
