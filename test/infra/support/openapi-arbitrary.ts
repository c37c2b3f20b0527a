// Values that match a schema of the OpenAPI document, as far as the document uses JSON Schema.
import * as fc from 'fast-check'
import { asArray, asObject, asText, type Json, type JsonObject } from './resolve.ts'

type Values = fc.Arbitrary<unknown>

const LENGTH_MAX = 24
const NUMBER_MAX = 2 ** 31

/** Of a schema that refers to itself: so many levels. */
const LEVELS = { maxDepth: 3, depthIdentifier: 'levels' }

/** `around`: the references that lead to the schema. */
export function valuesOf(
  schema: Json | undefined,
  resolve: (ref: string) => Json | undefined,
  around: readonly string[] = [],
): Values {
  const of = (inner: Json | undefined) => valuesOf(inner, resolve, around)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return fc.jsonValue({ maxDepth: 1 })
  const { $ref, const: only, enum: values, type, properties } = schema
  if ($ref !== undefined) {
    const ref = asText($ref)
    const target = () => valuesOf(resolve(ref), resolve, [...around, ref])
    return around.includes(ref) ? fc.constant(ref).chain(target) : target()
  }
  if (only !== undefined) return fc.constant(only)
  if (values !== undefined) return fc.constantFrom(...asArray(values))
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined && properties === undefined)
    return fc.oneof(schema.oneOf ? LEVELS : {}, ...asArray(options).map(of))
  switch (type) {
    case 'string':
      return textsOf(schema)
    case 'integer':
      return fc.integer({ min: least(schema), max: most(schema) })
    case 'number':
      return fc
        .double({ min: least(schema), max: most(schema), noNaN: true })
        .filter((value) => isWithin(value, schema))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return listsOf(schema, of(schema.items))
    case 'object':
      return objectsOf(schema, of)
    default:
      return fc.jsonValue({ maxDepth: 1 })
  }
}

const numberOf = (value: Json | undefined, otherwise: number) => (typeof value === 'number' ? value : otherwise)
const least = ({ minimum, exclusiveMinimum }: JsonObject) => numberOf(minimum ?? exclusiveMinimum, -NUMBER_MAX)
const most = ({ maximum, exclusiveMaximum }: JsonObject) =>
  Math.min(numberOf(maximum ?? exclusiveMaximum, NUMBER_MAX), NUMBER_MAX)
const isWithin = (value: number, { exclusiveMinimum, exclusiveMaximum }: JsonObject) =>
  value !== exclusiveMinimum && value !== exclusiveMaximum

function textsOf({ pattern, minLength, maxLength }: JsonObject): Values {
  const min = numberOf(minLength, 0)
  const max = numberOf(maxLength, Infinity)
  const fits = (text: string) => text.length >= min && text.length <= max
  if (pattern !== undefined) return fc.stringMatching(new RegExp(asText(pattern))).filter(fits)
  return fc.string({ minLength: min, maxLength: Math.min(max, min + LENGTH_MAX) })
}

function listsOf({ minItems, maxItems, uniqueItems }: JsonObject, items: Values): Values {
  const minLength = numberOf(minItems, 0)
  const size = { minLength, maxLength: Math.min(numberOf(maxItems, Infinity), minLength + 2) }
  return uniqueItems
    ? fc.uniqueArray(items, { ...size, selector: (one) => JSON.stringify(one) })
    : fc.array(items, size)
}

function objectsOf(schema: JsonObject, of: (schema: Json | undefined) => Values): Values {
  const { properties = {}, required = [], oneOf = [], additionalProperties, maxProperties } = schema
  const members = Object.fromEntries(Object.entries(asObject(properties)).map(([name, one]) => [name, of(one)]))
  const always = asArray(required).map(asText)
  const groups = asArray(oneOf).map((one) => asArray(asObject(one).required).map(asText))
  const exclusive = new Set(groups.flat())
  const shapes = (groups.length > 0 ? groups : [[]]).map((chosen) => {
    const kept = Object.entries(members).filter(([name]) => !exclusive.has(name) || chosen.includes(name))
    return fc.record(Object.fromEntries(kept), { requiredKeys: [...always, ...chosen] })
  })
  const known = fc.oneof(...shapes)
  if (additionalProperties === undefined || additionalProperties === false) return known
  const keys =
    schema.propertyNames === undefined ? fc.string() : of({ type: 'string', ...asObject(schema.propertyNames) })
  const others = fc.dictionary(keys as fc.Arbitrary<string>, of(additionalProperties), {
    maxKeys: Math.min(numberOf(maxProperties, 3), 3),
  })
  return fc.tuple(others, known).map(([more, given]) => ({ ...more, ...given }))
}
