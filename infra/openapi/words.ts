// Gives every property of the document that has no description of its own one from the table of words.
import type { JsonSchema } from './json-schema.ts'
import { PROPERTY_WORDS } from './property-words.ts'

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The words for one property; those that name its parent come first. */
export const wordsFor = (parent: string, name: string): string | undefined =>
  PROPERTY_WORDS[`${parent}.${name}`] ?? PROPERTY_WORDS[name]

/** Changes the schemas. Values of examples, defaults and enumerations are none and stay as they are. */
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
