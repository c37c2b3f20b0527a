// Decides whether a text in a graph query language (Cypher, GQL, GraphQL, SPARQL) is proven to read.
import { wordSet } from '../words/words.ts'
import { LENGTH_MAX } from './sql-tokens.ts'
import { readsOnly } from './sql.ts'

const READING = wordSet('match optional unwind return with query fragment prefix select ask describe construct show')
const WRITING =
  wordSet(`mutation subscription create merge set delete detach remove drop call load foreach insert clear add
  move copy alter grant revoke deny start stop into service addv adde property`)

const OPAQUE = /\\|\/\/|\/\*|--(?![>[(])|#|;\s*\S|\w\.\w+\s*\(|["'`\u2018-\u201f\uff02\uff07\uff40]/
const LITERALS = /"[^"]*"|'[^']*'/g

function isProven(text: string): boolean {
  const code = text.replaceAll(LITERALS, ' ')
  const words = code.toLowerCase().match(/[a-z_]+/g) ?? []
  return (
    (code.startsWith('{') || READING.has(words[0] ?? '')) &&
    !words.some((word) => WRITING.has(word)) &&
    !OPAQUE.test(code)
  )
}

/** Whether a text is proven to read. One with comments, escapes, block strings, a second statement or procedure calls is not. */
export function graphReads(text: string): boolean {
  if (text.length > LENGTH_MAX || /"""|'''/.test(text)) return false
  if (readsOnly(text)) return true
  const trimmed = text.trim()
  return isProven(trimmed) && isProven(trimmed.normalize('NFKC'))
}
