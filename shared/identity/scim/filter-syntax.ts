// Parses a filter into a syntax tree with `scim2-parse-filter`. Strings are masked before and restored after, because the
// library reads escapes differently. A sub-attribute after brackets is moved inside them, where it means the same element.
import { type Filter as Syntax, parse } from 'scim2-parse-filter'
import { badRequest } from './refusal.ts'

export type { Syntax }

const LENGTH_MAX = 2_000
const STRING = /"(?:[^"\\]|\\.)*"/g
/** The library does not accept `$` in names. */
const REF = /\$ref\b/gi
const MASKED_REF = '_ref'
/** `emails[type eq "work"].value eq "x"` means one element that meets both conditions. */
const BEHIND_BRACKETS = /\[([^[\]]*)\]\.(\w+\s+(?:pr\b|[a-z]{2}\s+[^\s)]+))/gi

/** Throws 400 invalidFilter. */
export function readFilter(text: string): Syntax {
  if (text.length > LENGTH_MAX)
    throw badRequest('invalidFilter', `The filter is too long. Use at most ${LENGTH_MAX} characters.`)
  try {
    const strings: string[] = []
    // The library's regular expression for strings would run forever on an unclosed string with line breaks.
    if (text.replace(STRING, '').includes('"')) throw new SyntaxError('an open string')
    const masked = text.replace(STRING, (literal) => `"${strings.push(readString(literal)) - 1}"`)
    const rewritten = masked.replace(REF, MASKED_REF).replace(BEHIND_BRACKETS, '[($1) and $2]')
    return unmask(parse(rewritten), strings)
  } catch {
    throw badRequest('invalidFilter', 'The filter is not well-formed. Check its syntax (RFC 7644, section 3.4.2.2).')
  }
}

const readString = (literal: string): string => String(JSON.parse(literal))

function unmask(syntax: Syntax, strings: readonly string[]): Syntax {
  switch (syntax.op) {
    case 'and':
    case 'or':
      return { ...syntax, filters: syntax.filters.map((one) => unmask(one, strings)) }
    case 'not':
      return { ...syntax, filter: unmask(syntax.filter, strings) }
    case '[]':
      return { ...syntax, valFilter: unmask(syntax.valFilter, strings) }
    case 'pr':
      return { ...syntax, attrPath: pathOf(syntax.attrPath) }
    default: {
      const { compValue } = syntax
      const value = typeof compValue === 'string' ? (strings[Number(compValue)] ?? '') : compValue
      return { ...syntax, attrPath: pathOf(syntax.attrPath), compValue: value }
    }
  }
}

const pathOf = (path: string): string => path.replace(/(^|\.)_ref$/, '$1$ref')
