// Rewrites schemas into the part of JSON Schema that generators and regular-expression engines agree on.
import type { JsonSchema } from './json-schema.ts'

/** Members whose value is data or a name, not a schema. */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples', 'required'])
/** Members that hold schemas by name. */
const BY_NAME = new Set(['properties', 'patternProperties', '$defs'])

/** The schema and all schemas within it, rewritten. What an engine cannot check is left out. */
export function portable(schema: JsonSchema): JsonSchema {
  const parts = Object.entries(schema).map(([member, value]) => [member, partOf(member, value)])
  return withoutTypeList(withoutPatternTraps(Object.fromEntries(parts)))
}

function within(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(within)
  return isSchema(value) ? portable(value) : value
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

function partOf(member: string, value: unknown): unknown {
  if (DATA.has(member)) return value
  if (BY_NAME.has(member) && isSchema(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, within(inner)]))
  }
  const isAnything = member === 'additionalProperties' && isSchema(value) && Object.keys(value).length === 0
  return isAnything ? true : within(value)
}

/** Generators read one type per schema; `description` and `default` stay with the whole. */
function withoutTypeList(schema: JsonSchema): JsonSchema {
  const { type, description, default: value, ...rest } = schema
  if (!Array.isArray(type)) return schema
  const anyOf = type.map((one) => (one === 'null' ? { type: one } : { type: one, ...rest }))
  return { anyOf, ...(description !== undefined && { description }), ...(value !== undefined && { default: value }) }
}

/** Engines repeat at most so often (RE2). */
const REPEATS_MAX = 1000
const ONE_CLASS = /^\^(\[[^[\]]+\])\{(\d+),(\d+)\}\$$/

function withoutPatternTraps(schema: JsonSchema): JsonSchema {
  const { pattern, ...rest } = schema
  if (typeof pattern !== 'string') return schema
  const [, set, min, max] = ONE_CLASS.exec(pattern) ?? []
  const plain =
    Number(max) > REPEATS_MAX
      ? { pattern: `^${set}*$`, limits: { minLength: Number(min), maxLength: Number(max) } }
      : { pattern, limits: {} }
  const text = portablePattern(plain.pattern)
  return { ...rest, ...plain.limits, ...(text !== undefined && { pattern: text }) }
}

const CLASSES: Record<string, string> = { d: '0-9', w: 'A-Za-z0-9_' }
/** Unicode properties, look-around, back-references and named groups: Python or RE2 lack them. */
const UNPORTABLE = /\\[pPkbBsS1-9]|\(\?(?!:)/

/** The expression in ASCII classes and hexadecimal escapes; undefined if there is no exact one. */
function portablePattern(pattern: string): string | undefined {
  if (UNPORTABLE.test(pattern)) return undefined
  let isInClass = false
  return pattern.replaceAll(/\\u00([\da-f]{2})|\\([\s\S])|[[\]]/gi, (token, hex?: string, escaped?: string) => {
    if (hex) return `\\x${hex}`
    if (token === '[' || token === ']') isInClass = token === '['
    const set = CLASSES[escaped ?? '']
    if (set === undefined) return token
    return isInClass ? set : `[${set}]`
  })
}
