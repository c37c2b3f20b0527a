// Writes a schema of a document out as one that a manifest may hold: without references, patterns and recursion. What is
// left out makes it wider: the provider checks what it is sent anyway, but a payload that it takes must not be refused here.
import { acceptingExamples, type Budget } from './examples.ts'
import { LEAVES_OUT, plainKeywords, type Simplification } from './keywords.ts'
import { isObject, type JsonMap, listAt, mapAt, member, pointedAt, textAt } from './resolve.ts'

const CHAIN_MAX = 50
const VISITS_MAX = 20_000

/** `descriptions`: their longest length. `levels`: how deep objects hold objects. `bytesMax`: when to give up. */
export type Measure = { descriptions: number; levels: number; bytesMax: number }

/** Thrown as soon as a schema passes its size, because written out it may be endless. */
export class TooLarge extends Error {}

export type Schema = Record<string, unknown>
/** `siblings`: what stands beside each reference on the way. */
type Target = { schema: JsonMap; siblings: JsonMap[]; isNullable: boolean } | undefined
/** `hidden`: members that only answers hold, of the value that is described. */
type Place = { levels: number; hidden: ReadonlySet<string> }

/** Writes schemas of one operation; they count together. */
export class SchemaWriter {
  readonly document: JsonMap
  readonly simplified = new Set<Simplification>()
  readonly #measure: Measure
  readonly #open = new Set<JsonMap>()
  readonly #ofSchemas: Budget = { left: 1_000 }
  /** For the examples of parameters and bodies. */
  readonly examples: Budget = { left: 5_000 }
  #bytes = 0
  #visits = 0

  constructor(document: JsonMap, measure: Measure) {
    this.document = document
    this.#measure = measure
  }

  /** The schema of a value. */
  write(value: unknown, levels: number = this.#measure.levels): Schema {
    return this.#writeAt(value, { levels, hidden: this.#hiddenIn(value) })
  }

  /** A schema of the value that `at` is about, which further schemas may describe as well. */
  #writeAt(value: unknown, at: Place): Schema {
    if (!isObject(value)) return this.#counted({})
    const target = this.#targetOf(value)
    if (!target || this.#open.has(target.schema)) {
      this.simplified.add('recursion')
      return this.#counted({})
    }
    this.#open.add(target.schema)
    try {
      const own = this.#object(target.schema, at)
      const all = [own, ...target.siblings.map((one) => this.#object(one, at))]
      const written = all.length > 1 ? { allOf: all } : own
      return target.isNullable ? { anyOf: [written, { type: 'null' }] } : written
    } finally {
      this.#open.delete(target.schema)
    }
  }

  /** Where the references of a schema end; undefined when they end nowhere. */
  #targetOf(schema: JsonMap): Target {
    let at: unknown = schema
    const siblings: JsonMap[] = []
    let isNullable = false
    for (let steps = 0; steps <= CHAIN_MAX; steps += 1) {
      if (!isObject(at)) return undefined
      const reference = textAt(at, '$ref')
      if (reference === undefined) return { schema: at, siblings, isNullable }
      const beside = constraintsBeside(at, this.#is30())
      if (Object.keys(beside).length > 0) siblings.push(beside)
      if (member(at, 'nullable') === true) isNullable = true
      at = pointedAt(this.document, reference)
    }
    return undefined
  }

  /** Before 3.1 what stands beside a reference is ignored. */
  #is30 = (): boolean => textAt(this.document, 'openapi')?.startsWith('3.0.') ?? false

  /** All schemas of one value, since any of them may say of a member that only answers hold it. */
  #hiddenIn(value: unknown, found = new Set<string>(), seen = new Set<JsonMap>()): Set<string> {
    const target = isObject(value) ? this.#targetOf(value) : undefined
    if (!isObject(value) || !target || seen.has(value)) return found
    seen.add(value)
    for (const part of [target.schema, ...target.siblings]) {
      for (const [name, of] of Object.entries(mapAt(part, 'properties'))) {
        this.#visit()
        if (this.#isOfAnswers(of)) found.add(name)
      }
      for (const list of ['allOf', 'anyOf', 'oneOf'])
        for (const one of listAt(part, list)) this.#hiddenIn(one, found, seen)
    }
    return found
  }

  #isOfAnswers(value: unknown, seen = new Set<JsonMap>()): boolean {
    if (!isObject(value) || seen.has(value)) return false
    seen.add(value)
    this.#visit()
    if (member(value, 'readOnly') === true) return true
    const target = this.#targetOf(value)
    if (!target) return false
    return [target.schema, ...target.siblings].some((part) => {
      const isOf = (one: unknown) => this.#isOfAnswers(one, seen)
      const any = [...listAt(part, 'anyOf'), ...listAt(part, 'oneOf')]
      return (
        member(part, 'readOnly') === true || listAt(part, 'allOf').some(isOf) || (any.length > 0 && any.every(isOf))
      )
    })
  }

  #object(schema: JsonMap, at: Place): Schema {
    const described = (textAt(schema, 'description') ?? '').slice(0, this.#measure.descriptions)
    const plain = plainKeywords(schema)
    if (at.hidden.size > 0) delete plain['minProperties'] // it may count members that are not sent
    const written: Schema = this.#counted({ ...plain, ...(described && { description: described }) })
    this.#noteLosses(schema, written)
    if (at.levels <= 0) return written
    const parts = { ...this.#members(schema, at), ...this.#lists(schema, at) }
    const all = nullable(schema, { ...written, ...parts })
    const accepts = acceptingExamples(this.document, all, examplesAlone(schema), this.#ofSchemas)
    if (accepts !== all) this.simplified.add('own_example')
    return accepts
  }

  #noteLosses(schema: JsonMap, written: Schema): void {
    for (const keyword of Object.keys(schema)) {
      const loss = Object.hasOwn(LEAVES_OUT, keyword) ? LEAVES_OUT[keyword] : undefined
      if (loss) this.simplified.add(loss)
      else if (VALUES.has(keyword) && written[keyword] === undefined) this.simplified.add('values')
    }
    if (Array.isArray(member(schema, 'items'))) this.simplified.add('tuples')
  }

  #members(schema: JsonMap, { levels, hidden }: Place): Schema {
    const others = this.#others(schema, levels)
    const all = Object.entries(mapAt(schema, 'properties')).filter(([name, of]) => name !== '__proto__' && of !== false)
    // Where other members are refused, those of answers stay allowed: examples often hold them.
    const sent = Object.hasOwn(others, 'additionalProperties') ? all : all.filter(([, of]) => !this.#isOfAnswers(of))
    const properties = sent.map(([name, of]) => {
      const written = this.#isOfAnswers(of) ? this.#counted({}) : this.write(of, levels - 1)
      return [this.#name(name), written] as const
    })
    const refused = new Set(
      Object.entries(mapAt(schema, 'properties')).flatMap(([name, of]) => (of === false ? [name] : [])),
    )
    const required = new Set(
      listAt(schema, 'required').filter((name) => typeof name === 'string' && !hidden.has(name) && !refused.has(name)),
    )
    return {
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.size > 0 && { required: [...required] }),
      ...others,
    }
  }

  /** Names that a pattern permits are permitted as a whole, because patterns are left out. */
  #others(schema: JsonMap, levels: number): Schema {
    const others = member(schema, 'additionalProperties')
    if (member(schema, 'patternProperties') !== undefined) return {}
    if (isObject(others)) return { additionalProperties: this.write(others, levels - 1) }
    return others === false ? { additionalProperties: false } : {}
  }

  #lists(schema: JsonMap, at: Place): Schema {
    const all = listAt(schema, 'allOf').map((one) => this.#writeAt(one, at))
    // Without patterns several of `oneOf` may fit.
    const any = [listAt(schema, 'anyOf'), listAt(schema, 'oneOf')]
      .filter((list) => list.length > 0)
      .map((list) => list.map((one) => this.#writeAt(one, at)))
    const [first, second] = any
    const items = member(schema, 'items')
    const both = second ? [...all, { anyOf: second }] : all
    return {
      // After a tuple it is about the elements that follow.
      ...(isObject(items) && !Object.hasOwn(schema, 'prefixItems') && { items: this.write(items, at.levels) }),
      ...(first && { anyOf: first }),
      ...(both.length > 0 && { allOf: both }),
    }
  }

  /** What is visited is written later, so more than this would be too large. */
  #visit(): void {
    this.#visits += 1
    if (this.#visits > VISITS_MAX) throw new TooLarge()
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

const ABOUT = new Set(
  [
    '$ref',
    'description',
    'summary',
    'deprecated',
    'example',
    'examples',
    'title',
    'default',
    'nullable',
    '$comment',
  ].concat(['$defs', 'definitions', '$anchor', '$id', '$schema', 'externalDocs', 'writeOnly']),
)

const constraintsBeside = (schema: JsonMap, is30: boolean): JsonMap =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !is30 && !ABOUT.has(name) && !name.startsWith('x-')))

/** Keywords that are left out where this service could not represent their values exactly. */
const VALUES = new Set(['enum', 'const', 'minimum', 'maximum', 'multipleOf'])

/** In a schema `examples` is a list. */
const examplesAlone = (schema: JsonMap): JsonMap => ({
  example: member(schema, 'example'),
  examples: listAt(schema, 'examples'),
})

/** The `nullable` of OpenAPI 3.0 where no type says it: composed schemas. */
function nullable(schema: JsonMap, written: Schema): Schema {
  if (member(schema, 'nullable') !== true || 'type' in written) return written
  return Object.keys(written).length > 0 ? { anyOf: [written, { type: 'null' }] } : written
}
