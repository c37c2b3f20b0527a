// Finds HTTP requests in a payload whose method may change something, and decides whether a text in a graph query language is proven
// to read.
import type { Json } from '../../../base/lib/json.ts'
import { wordSet } from '../words/words.ts'
import { LENGTH_MAX, readsOnly } from './sql.ts'

/** Methods that change something. */
export const WRITING_METHODS = 'post put patch delete purge mkcol move copy lock unlock proppatch link unlink'

const writing: ReadonlySet<string> = new Set(WRITING_METHODS.split(' '))
const METHOD_NAME = /^(?:http|request)?[-_ ]?(?:method|verb)$|method-?override$|^_method$/i
const ADDRESS_NAME =
  /^(?:base|request|target|full|api|http)?[-_ ]?(?:ur[li]|endpoint|path|href|host|address|resource|route)$/i
const ADDRESS = /^(?:https?:\/)?\/\S/i

/** Whether an object names a writing method beside an address, or overrides a method with one. */
export function isWritingRequest(value: { readonly [name: string]: Json | undefined }): boolean {
  const names = Object.keys(value)
  const methods = names.filter((name) => isWritingMethod(value[name]))
  if (methods.length === 0) return false
  if (methods.some((name) => /override|^_method$|^(?:http|request)/i.test(name) && METHOD_NAME.test(name))) return true
  const addressed = names.some((name) => ADDRESS_NAME.test(name))
  const linked = names.some((name) => isAddress(value[name]))
  return (addressed && methods.some((name) => METHOD_NAME.test(name))) || linked
}

/** Whether a value is the name of a method that changes something. */
export const isWritingMethod = (value: Json | undefined): boolean =>
  typeof value === 'string' && value.length < 12 && writing.has(value.trim().toLowerCase())

const isAddress = (value: Json | undefined) => typeof value === 'string' && ADDRESS.test(value)

const METHOD_IN_TEXT = /(?:^|[\n{,"'(?&] ?)_?method["']? ?[:=] ?["']?(?:post|put|patch|delete)\b/i
const ADDRESS_IN_TEXT = /https?:|\bur[il]\b|\bpath\b|\bendpoint\b|[?&]_method=/i

/** Whether a text holds a writing request, as JSON, as code or in a query string. */
export const textRequestsWrite = (text: string): boolean =>
  /method/i.test(text) && METHOD_IN_TEXT.test(text) && ADDRESS_IN_TEXT.test(text)

/** First words of texts in Cypher, GQL, GraphQL and SPARQL that may read. */
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

/**
 * Whether a text in a graph query language (Cypher, GQL, GraphQL, SPARQL) is proven to read. One with comments, escapes, block strings,
 * a second statement or procedure calls is not.
 */
export function graphReads(text: string): boolean {
  if (text.length > LENGTH_MAX || /"""|'''/.test(text)) return false
  if (readsOnly(text)) return true
  const trimmed = text.trim()
  return isProven(trimmed) && isProven(trimmed.normalize('NFKC'))
}
