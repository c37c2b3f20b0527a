// Decides whether a text is one SQL statement that is proven to read: SELECT, VALUES, WITH of these, SHOW, DESCRIBE, or EXPLAIN
// that does not execute. A statement without proof counts as writing. Views, operators and overloaded functions that the
// database defines are not examined.
import { wordSet } from '../words/words.ts'
import { type SqlToken, sqlTokensOf } from './sql-tokens.ts'
import { BEFORE_PARENTHESIS, EXPLAIN_OPTIONS, PURE_FUNCTIONS, WRITE_WORDS } from './sql-words.ts'

const writeWords = wordSet(WRITE_WORDS)
const pureFunctions = wordSet(PURE_FUNCTIONS)
const beforeParenthesis = wordSet(BEFORE_PARENTHESIS)
const explainOptions = wordSet(EXPLAIN_OPTIONS)
const LOCKING = wordSet('update share no key')

export const isWriteWord = (word: string): boolean => writeWords.has(word)
export const isPureFunction = (name: string): boolean => pureFunctions.has(name) || beforeParenthesis.has(name)

type Tokens = readonly SqlToken[]

const is = (tokens: Tokens, at: number, ...values: string[]) => {
  const token = tokens[at]
  return (token?.kind === 'word' || token?.kind === 'sign') && values.includes(token.value)
}

const isName = (token: SqlToken | undefined) => token?.kind === 'word' || token?.kind === 'quoted'

/** Whether a word is the name of a column: it follows a name and a dot. */
const isQualified = (tokens: Tokens, at: number) =>
  is(tokens, at - 1, '.') && isName(tokens[at - 2]) && !is(tokens, at, 'nextval')

function mayOpen(tokens: Tokens, at: number): boolean {
  const before = tokens[at - 1]
  if (!before) return true
  if (before.kind === 'sign') return before.value !== ')'
  if (before.kind !== 'word') return false
  const isHeading = is(tokens, at - 2, 'as', 'with', 'recursive') || (at === 1 && is(tokens, 0, 'explain', 'describe'))
  return isHeading || (isPureFunction(before.value) && !is(tokens, at - 2, '.'))
}

function mayStand(tokens: Tokens, at: number): boolean {
  const next = tokens[at + 1]
  if (is(tokens, at, '(')) return mayOpen(tokens, at)
  if (is(tokens, at, ';')) return next === undefined
  if (tokens[at]?.kind === 'text') return next?.kind !== 'text' && !is(tokens, at - 1, 'from', 'join')
  if (tokens[at]?.kind !== 'word' || isQualified(tokens, at)) return true
  if (is(tokens, at, 'for')) return !LOCKING.has(next?.value ?? '')
  if (is(tokens, at, 'next')) return !is(tokens, at + 1, 'value')
  return (
    !writeWords.has(tokens[at]?.value ?? '') || (is(tokens, at, 'create') && is(tokens, at - 1, 'show') && at === 1)
  )
}

/** The index after the parenthesis that opens at `at`. */
function afterGroup(tokens: Tokens, at: number): number {
  for (let [i, depth] = [at, 0]; i < tokens.length; i += 1) {
    if (is(tokens, i, '(')) depth += 1
    if (is(tokens, i, ')')) depth -= 1
    if (depth === 0) return i + 1
  }
  return tokens.length
}

function afterOpening(tokens: Tokens, at: number): number {
  let first = at
  while (is(tokens, first, '(')) first += 1
  return first
}

const selects = (tokens: Tokens, at: number) => is(tokens, afterOpening(tokens, at), 'select', 'values', 'with')

/** The index after `name (columns) AS MATERIALIZED (select)`; undefined for anything else. */
function afterPart(tokens: Tokens, at: number): number | undefined {
  const as = is(tokens, at + 1, '(') ? afterGroup(tokens, at + 1) : at + 1
  if (!isName(tokens[at]) || !is(tokens, as, 'as')) return undefined
  let group = as + 1
  while (is(tokens, group, 'not', 'materialized')) group += 1
  return is(tokens, group, '(') && selects(tokens, group + 1) ? afterGroup(tokens, group) : undefined
}

function withReads(tokens: Tokens, at: number): boolean {
  let next = afterPart(tokens, is(tokens, at, 'recursive') ? at + 1 : at)
  while (next !== undefined && is(tokens, next, ',')) next = afterPart(tokens, next + 1)
  return next !== undefined && is(tokens, afterOpening(tokens, next), 'select', 'values')
}

function explainReads(tokens: Tokens, at: number): boolean {
  let from = is(tokens, at, '(') && !selects(tokens, at) ? afterGroup(tokens, at) : at
  while (explainOptions.has(tokens[from]?.value ?? '') || is(tokens, from, '=')) from += 1
  if (is(tokens, from - 1, 'plan') && !is(tokens, from - 2, 'query')) return false
  const rest = tokens.slice(from)
  const isTable = rest.length > 0 && rest.every((token) => isName(token) || token.value === '.' || token.value === ';')
  return isTable || begins(tokens, from)
}

function begins(tokens: Tokens, at: number): boolean {
  const first = afterOpening(tokens, at)
  return is(tokens, first, 'with') ? withReads(tokens, first + 1) : is(tokens, first, 'select', 'values')
}

function isProven(text: string): boolean {
  const tokens = sqlTokensOf(text)
  if (!tokens?.every((_, at) => mayStand(tokens, at))) return false
  if (is(tokens, 0, 'show')) return tokens.length > 1
  return is(tokens, 0, 'explain', 'describe', 'desc') ? explainReads(tokens, 1) : begins(tokens, 0)
}

/**
 * Whether a text is proven to be a single statement that reads, in linear time. The proof covers the text and its compatibility
 * form, because a database may use either one, and a full-width quote is a quote in only one of them.
 */
export function readsOnly(text: string): boolean {
  const normal = text.normalize('NFKC')
  return isProven(text) && (normal === text || isProven(normal))
}
