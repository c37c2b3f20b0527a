// Writes a schema of a document out as one that a manifest may hold: without references, patterns and recursion. Whatever is
// left out makes it wider: the provider checks what it is sent anyway, but a payload that it takes must not be refused here.
import { isObject, type JsonMap, listAt, mapAt, member, pointedAt, textAt } from './resolve.ts'

const CHAIN_MAX = 50

/** `descriptions`: their longest length. `levels`: how deep objects hold objects. `bytesMax`: when to give up. */
export type Measure = { descriptions: number; levels: number; bytesMax: number }

/** Thrown as soon as a schema passes its size, because written out it may be endless. */
export class TooLarge extends Error {}

export type Schema = Record<string, unknown>
type Target = { schema: JsonMap; siblings: JsonMap } | undefined

/** Writes schemas of one operation; they count together. */
export class SchemaWriter {
  readonly #document: JsonMap
  readonly #measure: Measure
  readonly #open = new Set<JsonMap>()
  #bytes = 0

  constructor(document: JsonMap, measure: Measure) {
    this.#document = document
    this.#measure = measure
  }

  write(value: unknown, levels: number = this.#measure.levels): Schema {
    if (!isObject(value)) return this.#counted({})
    const target = this.#targetOf(value)
    if (!target || this.#open.has(target.schema)) return this.#counted({})
    this.#open.add(target.schema)
    try {
      const written = this.#object(target.schema, levels)
      return Object.keys(target.siblings).length > 0
        ? { allOf: [written, this.#object(target.siblings, levels)] }
        : written
    } finally {
      this.#open.delete(target.schema)
    }
  }

  /** Where the references of a schema end; undefined when they end nowhere. */
  #targetOf(schema: JsonMap): Target {
    let at: unknown = schema
    let siblings: JsonMap = {}
    for (let steps = 0; steps <= CHAIN_MAX; steps += 1) {
      if (!isObject(at)) return undefined
      const reference = textAt(at, '$ref')
      if (reference === undefined) return { schema: at, siblings }
      if (at === schema && !this.#is30()) siblings = constraintsBeside(at)
      at = pointedAt(this.#document, reference)
    }
    return undefined
  }

  /** Before 3.1 what stands beside a reference is ignored. */
  #is30 = (): boolean => textAt(this.#document, 'openapi')?.startsWith('3.0.') ?? false

  #object(schema: JsonMap, levels: number): Schema {
    const described = (textAt(schema, 'description') ?? '').slice(0, this.#measure.descriptions)
    const written: Schema = this.#counted({ ...plainKeywords(schema), ...(described && { description: described }) })
    if (levels <= 0) return written
    const parts = { ...this.#members(schema, levels), ...this.#lists(schema, levels) }
    return nullable(schema, { ...written, ...parts })
  }

  #members(schema: JsonMap, levels: number): Schema {
    const all = Object.entries(mapAt(schema, 'properties'))
    const sent = all.filter(([name, of]) => this.#isSent(name, of))
    const properties = sent.map(([name, of]) => [this.#name(name), this.write(of, levels - 1)] as const)
    const required = new Set(listAt(schema, 'required').filter((name) => typeof name === 'string'))
    if (sent.length < all.length) for (const [name, of] of all) if (!this.#isSent(name, of)) required.delete(name)
    return {
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.size > 0 && { required: [...required] }),
      ...this.#others(schema, levels),
    }
  }

  /** Names that a pattern permits are permitted as a whole, because patterns are left out. */
  #others(schema: JsonMap, levels: number): Schema {
    const others = member(schema, 'additionalProperties')
    if (member(schema, 'patternProperties') !== undefined) return {}
    if (isObject(others)) return { additionalProperties: this.write(others, levels - 1) }
    return others === false ? { additionalProperties: false } : {}
  }

  /** Values that only answers hold are not sent. */
  #isSent(name: string, of: unknown): boolean {
    if (name === '__proto__' || of === false) return false
    return !isObject(of) || member(this.#targetOf(of)?.schema ?? {}, 'readOnly') !== true
  }

  #lists(schema: JsonMap, levels: number): Schema {
    const all = listAt(schema, 'allOf').map((one) => this.write(one, levels))
    // Without patterns several of `oneOf` may fit.
    const any = [listAt(schema, 'anyOf'), listAt(schema, 'oneOf')]
      .filter((list) => list.length > 0)
      .map((list) => list.map((one) => this.write(one, levels)))
    const [first, second] = any
    const items = member(schema, 'items')
    const both = second ? [...all, { anyOf: second }] : all
    return {
      ...(isObject(items) && { items: this.write(items, levels) }),
      ...(first && { anyOf: first }),
      ...(both.length > 0 && { allOf: both }),
    }
  }

  #name(name: string): string {
    this.#bytes += name.length
    return name
  }

  #counted(schema: Schema): Schema {
    this.#bytes += JSON.stringify(schema).length
    if (this.#bytes > this.#measure.bytesMax) throw new TooLarge()
    return schema
  }
}

const ABOUT = new Set(['$ref', 'description', 'summary', 'deprecated', 'example', 'examples', 'title', 'default'])

const constraintsBeside = (schema: JsonMap): JsonMap =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !ABOUT.has(name) && !name.startsWith('x-')))

/** The `nullable` of OpenAPI 3.0 where no type says it: composed schemas. */
function nullable(schema: JsonMap, written: Schema): Schema {
  if (member(schema, 'nullable') !== true || 'type' in written) return written
  return Object.keys(written).length > 0 ? { anyOf: [written, { type: 'null' }] } : written
}

// The keywords of a schema that hold no other schema. One that is malformed, or that this service could not represent exactly,
// is left out.

type Keywords = Record<string, unknown>

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const

const isExact = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
const isScalar = (value: unknown) =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || isExact(value)

/** Those of `names` whose value fits. */
const fitting = (schema: JsonMap, names: readonly string[], fits: (value: unknown) => boolean): Keywords =>
  Object.fromEntries(
    names.filter((name) => Object.hasOwn(schema, name) && fits(schema[name])).map((name) => [name, schema[name]]),
  )

function plainKeywords(schema: JsonMap): Keywords {
  const isNullable = member(schema, 'nullable') === true
  return {
    ...typeOf(schema, isNullable),
    ...fitting(schema, ['format'], (value) => typeof value === 'string' && value.length <= 64),
    ...fitting(schema, COUNTS, (value) => isExact(value) && Number.isInteger(value) && value >= 0),
    ...boundsOf(schema),
    ...fitting(schema, ['multipleOf'], (value) => isExact(value) && value > 0),
    ...fitting(schema, ['uniqueItems'], (value) => value === true),
    ...valuesOf(schema, isNullable),
  }
}

function typeOf(schema: JsonMap, isNullable: boolean): Keywords {
  const given = member(schema, 'type')
  const types = (Array.isArray(given) ? given : [given]).filter((type) => typeof type === 'string' && TYPES.has(type))
  const all = new Set<unknown>(isNullable && types.length > 0 ? [...types, 'null'] : types)
  if (all.size === 0) return {}
  return { type: all.size === 1 ? [...all][0] : [...all] }
}

/** In OpenAPI 3.0 `exclusiveMinimum: true` changes the meaning of `minimum`. */
function boundsOf(schema: JsonMap): Keywords {
  const bounds = fitting(schema, BOUNDS, isExact)
  for (const [exclusive, plain] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (member(schema, exclusive) !== true || bounds[plain] === undefined) continue
    bounds[exclusive] = bounds[plain]
    delete bounds[plain]
  }
  return bounds
}

function valuesOf(schema: JsonMap, isNullable: boolean): Keywords {
  const given = listAt(schema, 'enum')
  const values = isNullable ? [...given, null] : given
  return {
    ...(given.length > 0 && given.every(isScalar) && { enum: [...new Set(values)] }),
    ...fitting(schema, ['const'], isScalar),
  }
}
