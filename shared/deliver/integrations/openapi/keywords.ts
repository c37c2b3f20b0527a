// The keywords of a schema that hold no other schema. One that is malformed, or that this service could not represent exactly,
// is left out.
import { type JsonMap, listAt, member } from './resolve.ts'

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

export function plainKeywords(schema: JsonMap): Keywords {
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

/** What a written schema does not say of its own: by each of these it accepts more than the document does. */
export type Simplification =
  | 'size'
  | 'recursion'
  | 'patterns'
  | 'one_of'
  | 'conditions'
  | 'tuples'
  | 'values'
  | 'own_example'
  | 'parameters'
  | 'body'

/** Keywords whose loss a report names. */
export const LEAVES_OUT: Readonly<Record<string, Simplification>> = {
  pattern: 'patterns',
  patternProperties: 'patterns',
  oneOf: 'one_of',
  prefixItems: 'tuples',
  $dynamicRef: 'recursion',
  $recursiveRef: 'recursion',
  ...Object.fromEntries(
    ['not', 'if', 'dependentSchemas', 'dependentRequired', 'dependencies', 'propertyNames', 'contains']
      .concat('unevaluatedItems', 'unevaluatedProperties')
      .map((keyword) => [keyword, 'conditions'] as const),
  ),
}
