// Examples of a document that its own schema refuses are frequent: a number where a text is declared, a member that is forgotten. What
// the provider shows must not be refused here, so the keyword that refuses it is taken out of the schema, and only that one.
import { canonicalJson, isMultiple, type Json } from '../../../base/lib/json.ts'
import { isObject, type JsonMap, listAt, mapAt, member, resolved, Skipped } from './resolve.ts'

type Schema = Record<string, unknown>

/** How many values of examples are compared for one operation, however many a document refers to: the rest is not looked at. */
export type Budget = { left: number }

/** The schema itself where it accepts all examples of a parameter, a media type or a schema. */
export function acceptingExamples(document: JsonMap, schema: Schema, of: JsonMap, budget: Budget): Schema {
  let at = schema
  for (const example of examplesOf(document, of)) {
    const size = sizeOf(example)
    if (size > budget.left) continue
    budget.left -= size
    at = accepting(at, example)
  }
  return at
}

const TEXT_VALUE = 256
const sizes = new WeakMap<object, number>()

/** In values; a long text counts as several. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / TEXT_VALUE)
  if (typeof value !== 'object' || value === null) return 1
  const known = sizes.get(value)
  if (known !== undefined) return known
  let size = 1
  for (const inner of Object.values(value)) size += sizeOf(inner)
  sizes.set(value, size)
  return size
}

/** Null is what an empty line of YAML says. */
function examplesOf(document: JsonMap, of: JsonMap): unknown[] {
  const named = Object.values(mapAt(of, 'examples')).flatMap((one) => valueOf(document, one))
  return [member(of, 'example'), ...listAt(of, 'examples'), ...named].filter((one) => one !== undefined && one !== null)
}

function valueOf(document: JsonMap, given: unknown): unknown[] {
  try {
    const example = resolved(document, given)
    return [member(example, 'dataValue') ?? member(example, 'value')]
  } catch (error) {
    if (error instanceof Skipped) return [] // it stands elsewhere, and says nothing of the operation
    throw error
  }
}

/** The example of a list or an object may be a text: JSON, or what is sent of it. The latter may then be given instead. */
function accepting(schema: Schema, example: unknown): Schema {
  const isText = typeof example === 'string' && ['object', 'array'].includes(String(schema['type']))
  const value = isText ? parsed(example) : example
  return !isCanonical(value) ? schema : widened(schema, value)
}

/** Half of a surrogate pair cannot be compared, nor be sent. */
function isCanonical(value: unknown): boolean {
  try {
    return canonicalJson(value) !== ''
  } catch {
    return false
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const accepts = (schema: unknown, value: unknown): boolean => !isObject(schema) || widened(schema, value) === schema

/** The same object where nothing refuses the value. */
function widened(schema: Schema, value: unknown): Schema {
  const out: Schema = { ...schema }
  for (const [keyword, of] of Object.entries(schema)) {
    const next = kept(keyword, { of, value, schema })
    if (next === of) continue
    if (next === undefined) delete out[keyword]
    else out[keyword] = next
  }
  return Object.keys(schema).every((keyword) => out[keyword] === schema[keyword]) ? schema : out
}

type Refusal = (of: unknown, value: unknown) => boolean
const bound =
  (refuses: (value: number, of: number) => boolean): Refusal =>
  (of, value) =>
    typeof value === 'number' && typeof of === 'number' && refuses(value, of)
const count =
  (size: (value: unknown) => number | undefined, refuses: (size: number, of: number) => boolean): Refusal =>
  (of, value) => {
    const found = size(value)
    return found !== undefined && typeof of === 'number' && refuses(found, of)
  }
const letters = (value: unknown) => (typeof value === 'string' ? [...value].length : undefined)
const elements = (value: unknown) => (Array.isArray(value) ? value.length : undefined)
const names = (value: unknown) => (isObject(value) ? Object.keys(value).length : undefined)
const isLess = (one: number, other: number) => one < other
const isMore = (one: number, other: number) => one > other
const same = (one: unknown, other: unknown) => canonicalJson({ of: one }) === canonicalJson({ of: other })

/** Keywords that refuse as a whole. */
const REFUSES: Readonly<Record<string, Refusal>> = {
  enum: (of, value) => Array.isArray(of) && !of.some((one) => same(one, value)),
  const: (of, value) => !same(of, value),
  minimum: bound(isLess),
  maximum: bound(isMore),
  exclusiveMinimum: bound((value, of) => value <= of),
  exclusiveMaximum: bound((value, of) => value >= of),
  multipleOf: bound((value, of) => !isMultiple(value, of)),
  minLength: count(letters, isLess),
  maxLength: count(letters, isMore),
  minItems: count(elements, isLess),
  maxItems: count(elements, isMore),
  minProperties: count(names, isLess),
  maxProperties: count(names, isMore),
  uniqueItems: (of, value) =>
    of === true && Array.isArray(value) && new Set(value.map(canonicalJson)).size < value.length,
  anyOf: (of, value) => Array.isArray(of) && !of.some((one) => accepts(one, value)),
}

type Kept = { of: unknown; value: unknown; schema: Schema }

/** What a keyword may say so that it accepts the value; undefined for nothing. */
function kept(keyword: string, { of, value, schema }: Kept): unknown {
  if (keyword === 'type') return typesFor(of, value)
  if (keyword === 'allOf' && Array.isArray(of)) return each(of, (one) => widened(one, value))
  if (keyword === 'items' && isObject(of) && Array.isArray(value)) return value.reduce(widened, of)
  if (isObject(value)) {
    if (keyword === 'required' && Array.isArray(of)) return withoutMissing(of, value)
    if (keyword === 'properties' && isObject(of)) return membersFor(of, value)
    if (keyword === 'additionalProperties') return othersFor(of, value, mapAt(schema, 'properties'))
  }
  const refuses = Object.hasOwn(REFUSES, keyword) ? REFUSES[keyword] : undefined
  return refuses?.(of, value) ? undefined : of
}

const each = (list: readonly Schema[], change: (one: Schema) => Schema): readonly Schema[] => {
  const changed = list.map(change)
  return changed.every((one, i) => one === list[i]) ? list : changed
}

function typesFor(of: unknown, value: unknown): unknown {
  const types = [of].flat()
  const fits = types.some((type) => type === typeOf(value) || (type === 'integer' && Number.isInteger(value)))
  return fits ? of : [...types, typeOf(value)]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function withoutMissing(required: readonly string[], value: JsonMap): unknown {
  const present = required.filter((name) => Object.hasOwn(value, name))
  if (present.length === required.length) return required
  return present.length > 0 ? present : undefined
}

function membersFor(properties: JsonMap, value: JsonMap): JsonMap {
  const changed = Object.entries(properties).map(([name, schema]) => {
    const is = isObject(schema) && Object.hasOwn(value, name) ? widened(schema, value[name]) : schema
    return [name, is] as const
  })
  return changed.every(([name, is]) => is === properties[name]) ? properties : Object.fromEntries(changed)
}

function othersFor(of: unknown, value: JsonMap, properties: JsonMap): unknown {
  const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
  if (others.length === 0) return of
  return isObject(of)
    ? others.reduce((at, name) => widened(at, value[name] as Json), of)
    : of === false
      ? undefined
      : of
}
