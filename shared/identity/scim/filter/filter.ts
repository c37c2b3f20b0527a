// Filters (RFC 7644, section 3.4.2.2), with attributes and values checked by the schema of a type. `scim2-parse-filter` parses the
// text. Strings are masked before and restored after, because the library reads escapes differently. A sub-attribute after brackets is
// moved inside them, where it means the same element.
import { type Attribute, namedAttribute, valueOf } from './attribute.ts'
import { readPath } from './select.ts'
import { badRequest } from '../refusal.ts'
import type { ResourceType } from '../resource-type.ts'
import { type Filter as Syntax, parse } from 'scim2-parse-filter'

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'lt' | 'ge' | 'le'

/** Where the compared values are: the names of the path, and the attribute at its end. */
export type Place = { names: readonly string[]; attribute: Attribute }

export type Filter =
  | { op: 'and' | 'or'; filters: readonly Filter[] }
  | { op: 'not'; filter: Filter }
  /** One element of a multi-valued attribute meets all of `filter`. */
  | { op: 'some'; place: Place; filter: Filter }
  | { op: 'present'; place: Place }
  | { op: Comparison; place: Place; value: string | boolean | null }

/** How many comparisons a filter makes for one value. */
export function comparisonsIn(filter: Filter): number {
  if ('filters' in filter) return filter.filters.reduce((sum, one) => sum + comparisonsIn(one), 0)
  return 'filter' in filter ? comparisonsIn(filter.filter) : 1
}

type Find = (path: string) => Place | undefined

/** The filter of a search. Throws 400 invalidFilter. */
export const typedFilter = (type: ResourceType, text: string): Filter =>
  toFilter(readFilter(text), (path) => placeIn(type, path))

/** The filter between the brackets of a path. Throws 400 invalidFilter. */
export const elementFilter = (of: Attribute, text: string): Filter => toFilter(readFilter(text), elementsOf(of))

/** Entra filters by `manager eq "…"` without the URN of the extension, so the extension is tried, too. */
function placeIn(type: ResourceType, text: string): Place | undefined {
  const urn = type.extension?.id
  const path = readPath(type, text) ?? (urn === undefined ? undefined : readPath(type, `${urn}:${text}`))
  const { extension, attribute, filter, sub } = path ?? {}
  if (!attribute || filter !== undefined) return undefined
  const names = [...(extension ? [extension] : []), attribute.name, ...(sub ? [sub.name] : [])]
  return { names, attribute: sub ?? attribute }
}

/** Names in brackets are names of sub-attributes. */
const elementsOf =
  (of: Attribute): Find =>
  (path) => {
    const sub = namedAttribute(of.subAttributes ?? [], path)
    return sub && { names: [sub.name], attribute: sub }
  }

function toFilter(syntax: Syntax, find: Find): Filter {
  switch (syntax.op) {
    case 'and':
    case 'or':
      return { op: syntax.op, filters: syntax.filters.map((one) => toFilter(one, find)) }
    case 'not':
      return { op: 'not', filter: toFilter(syntax.filter, find) }
    case '[]': {
      const place = placeOf(find, syntax.attrPath)
      if (place.attribute.type !== 'complex')
        throw badRequest('invalidFilter', `${syntax.attrPath} has no sub-attributes. Filter it without brackets.`)
      return { op: 'some', place, filter: toFilter(syntax.valFilter, elementsOf(place.attribute)) }
    }
    case 'pr':
      return { op: 'present', place: placeOf(find, syntax.attrPath) }
    default: {
      const place = comparablePlace(placeOf(find, syntax.attrPath))
      return { op: syntax.op, place, value: comparedValue(place.attribute, syntax.op, syntax.compValue) }
    }
  }
}

function placeOf(find: Find, path: string): Place {
  const place = find(path)
  if (!place || place.attribute.returned === 'never') {
    throw badRequest(
      'invalidFilter',
      'The filter names an attribute that cannot be searched. Use another one of the schema.',
    )
  }
  return place
}

/** A complex attribute is compared by its `value`. */
function comparablePlace({ names, attribute }: Place): Place {
  if (attribute.type !== 'complex') return { names, attribute }
  const value = valueOf(attribute)
  if (!value)
    throw badRequest(
      'invalidFilter',
      `${attribute.name} cannot be compared as a whole. Name one of its sub-attributes.`,
    )
  return { names: [...names, value.name], attribute: value }
}

const EQUALITY: readonly string[] = ['eq', 'ne']
const PARTIAL: readonly string[] = ['co', 'sw', 'ew']

/** Throws for comparisons without a meaning, like an order of booleans. */
function comparedValue(attribute: Attribute, op: Comparison, value: string | number | boolean | null) {
  const { name, type } = attribute
  const mismatch = () => badRequest('invalidFilter', `The operator or the value does not fit ${name}. Use others.`)
  if (value === null) {
    if (!EQUALITY.includes(op)) throw mismatch()
    return null
  }
  if (type === 'boolean') {
    const text = String(value).toLowerCase()
    if (!EQUALITY.includes(op) || (text !== 'true' && text !== 'false')) throw mismatch()
    return text === 'true'
  }
  if (type === 'binary' && !EQUALITY.includes(op)) throw mismatch()
  if (type === 'dateTime' && !PARTIAL.includes(op) && Number.isNaN(Date.parse(String(value)))) throw mismatch()
  return String(value)
}

const LENGTH_MAX = 2_000
const STRING = /"(?:[^"\\]|\\.)*"/g
/** The library does not accept `$` in names. */
const REF = /\$ref\b/gi
const MASKED_REF = '_ref'
/** `emails[type eq "work"].value eq "x"` means one element that meets both conditions. */
const BEHIND_BRACKETS = /\[([^[\]]*)\]\.(\w+\s+(?:pr\b|[a-z]{2}\s+[^\s)]+))/gi

/** Throws 400 invalidFilter. */
function readFilter(text: string): Syntax {
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
