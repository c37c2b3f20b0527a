// Puts words beside what zod cannot give them: members of alternatives, and defaults.
import type { JsonSchema } from './json-schema.ts'

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every schema within one, itself first. Values of examples, defaults and enumerations are skipped, because they are no schemas. */
function* schemasWithin(schema: unknown): Generator<JsonSchema> {
  if (Array.isArray(schema)) for (const part of schema) yield* schemasWithin(part)
  if (!isSchema(schema)) return
  yield schema
  for (const holder of HOLDERS) yield* schemasWithin(schema[holder])
  for (const property of Object.values(propertiesOf(schema))) yield* schemasWithin(property)
}

const HOLDERS = ['allOf', 'anyOf', 'oneOf', 'items', 'additionalProperties', 'prefixItems']

const propertiesOf = ({ properties }: JsonSchema): Record<string, JsonSchema> =>
  isSchema(properties) ? (properties as Record<string, JsonSchema>) : {} // as zod makes them

/** Repeats the description of a member where an object names it as the one of several that it must have (`eitherOf`). */
export function describeAlternatives(whole: unknown): void {
  for (const schema of schemasWithin(whole)) {
    if (!Array.isArray(schema.oneOf)) continue
    const described = propertiesOf(schema)
    for (const [name, property] of schema.oneOf.filter(isSchema).flatMap((one) => Object.entries(propertiesOf(one)))) {
      property.description ??= described[name]?.description
    }
  }
}

/**
 * Puts defaults into the description, because generators make a member with a `default` a required one. Changes the schemas
 * in place.
 */
export function describeDefaults(whole: unknown): void {
  for (const schema of schemasWithin(whole)) {
    for (const property of Object.values(propertiesOf(schema))) {
      if (!isSchema(property) || property.default === undefined) continue
      property.description = [property.description, `Default: \`${JSON.stringify(property.default)}\`.`]
        .filter(Boolean)
        .join(' ')
      delete property.default
    }
  }
}
