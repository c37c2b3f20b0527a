// Adds descriptions from the table of words to properties without their own.
import type { JsonSchema } from './json-schema.ts'
import { PROPERTY_WORDS } from './property-words.ts'

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The description of a property; an entry with its parent wins. */
export const wordsFor = (parent: string, name: string): string | undefined =>
  PROPERTY_WORDS[`${parent}.${name}`] ?? PROPERTY_WORDS[name]

/** Changes the schemas in place. Values of examples, defaults and enumerations are skipped, because they are not schemas. */
export function describeProperties(schemas: Record<string, JsonSchema>): void {
  for (const [name, schema] of Object.entries(schemas)) describeWithin(schema, name)
}

const HOLDERS = ['allOf', 'anyOf', 'oneOf', 'items', 'additionalProperties', 'prefixItems']

function describeWithin(schema: unknown, parent: string): void {
  if (Array.isArray(schema)) return schema.forEach((part) => describeWithin(part, parent))
  if (!isSchema(schema)) return
  for (const holder of HOLDERS) describeWithin(schema[holder], parent)
  if (!isSchema(schema.properties)) return
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!isSchema(property)) continue
    property.description ??= wordsFor(parent, name)
    describeWithin(property, name)
  }
}

/**
 * Puts defaults into the description, because generators make a member with a `default` a required one. Changes the schemas
 * in place.
 */
export function describeDefaults(schema: unknown): void {
  if (Array.isArray(schema)) return schema.forEach(describeDefaults)
  if (!isSchema(schema)) return
  for (const holder of HOLDERS) describeDefaults(schema[holder])
  if (!isSchema(schema.properties)) return
  for (const property of Object.values(schema.properties)) {
    describeDefaults(property)
    if (!isSchema(property) || property.default === undefined) continue
    property.description = [property.description, `Default: \`${JSON.stringify(property.default)}\`.`]
      .filter(Boolean)
      .join(' ')
    delete property.default
  }
}
