// Converts JSON Schema 2020-12, as far as the OpenAPI document uses it, to the text of TypeScript types.
import type { JsonSchema } from '../openapi/json-schema.ts'

const REF = '#/components/schemas/'
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/** The type of a schema. Constraints that types cannot express (patterns, ranges) are left out. */
export function typeOf(schema: unknown): string {
  if (schema === false) return 'never'
  if (typeof schema !== 'object' || schema === null) return 'unknown'
  const { $ref, anyOf, oneOf, allOf, enum: values, type, ...rest } = schema as JsonSchema
  if (typeof $ref === 'string') return $ref.slice(REF.length)
  if ('const' in rest) return JSON.stringify(rest.const)
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)))
  const options = anyOf ?? oneOf
  if (Array.isArray(options)) {
    const some = union(options.map(typeOf))
    return rest.properties === undefined ? some : `${plainType(type, rest)} & (${some})`
  }
  if (Array.isArray(allOf)) return allOf.map((part) => `(${typeOf(part)})`).join(' & ')
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...rest, type: one })))
  return plainType(type, rest)
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never'

function plainType(type: unknown, rest: JsonSchema): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return arrayType(rest)
    case 'object':
      return objectType(rest)
    default:
      return 'unknown'
  }
}

function arrayType({ items, prefixItems }: JsonSchema): string {
  if (!Array.isArray(prefixItems)) return `(${typeOf(items)})[]`
  const others = items === undefined || items === false ? [] : [`...(${typeOf(items)})[]`]
  return `[${[...prefixItems.map(typeOf), ...others].join(', ')}]`
}

function objectType({ properties, required, additionalProperties }: JsonSchema): string {
  const members = Object.entries((properties ?? {}) as JsonSchema)
  const needed = new Set(Array.isArray(required) ? required : [])
  const fields = members.map(([name, schema]) => `${nameOf(name)}${needed.has(name) ? '' : '?'}: ${typeOf(schema)}`)
  const open =
    typeof additionalProperties === 'object' ? `{ [name: string]: ${typeOf(additionalProperties)} }` : undefined
  if (fields.length > 0) return `{ ${fields.join('; ')} }${open ? ` & ${open}` : ''}`
  return open ?? (additionalProperties === false ? '{ [name: string]: never }' : '{ [name: string]: unknown }')
}

export const nameOf = (name: string): string => (IDENTIFIER.test(name) ? name : JSON.stringify(name))
