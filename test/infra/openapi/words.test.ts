// Every property of the reference is described, and no words are left over.
import { beforeAll, describe, expect, test } from 'vitest'
import { PROPERTY_WORDS } from '../../../infra/openapi/property-words.ts'
import { openapiDocument } from '../../../infra/openapi/document.ts'
import { asObject, type Json, type JsonObject } from '../support/resolve.ts'

type Property = { name: string; parent: string; path: string; property: JsonObject }

/** Every property of the schemas, however deep. */
function* propertiesOf(schema: Json | undefined, parent: string, path = parent): Generator<Property> {
  if (Array.isArray(schema)) for (const part of schema) yield* propertiesOf(part, parent, path)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return
  for (const part of ['allOf', 'anyOf', 'oneOf', 'items', 'additionalProperties'])
    yield* propertiesOf(schema[part], parent, path)
  for (const [name, property] of Object.entries(asObject(schema.properties ?? {}))) {
    yield { name, parent, path: `${path}.${name}`, property: asObject(property) }
    yield* propertiesOf(property, name, `${path}.${name}`)
  }
}

let properties: Property[]
beforeAll(async () => {
  const { components }: JsonObject = JSON.parse(JSON.stringify(await openapiDocument()))
  const schemas = Object.entries(asObject(asObject(components).schemas))
  properties = schemas.flatMap(([name, schema]) => [...propertiesOf(schema, name)])
})

describe('words', () => {
  test('stand at every property of every schema', () => {
    const bare = properties.filter(({ property }) => !property.description)

    expect(properties.length).toBeGreaterThan(1_000)
    expect(bare.map(({ path }) => `${path}: add words in infra/openapi/property-words.ts`)).toEqual([])
  })

  test('that no property uses are removed', () => {
    const used = new Set(
      properties.map(({ parent, name }) => (`${parent}.${name}` in PROPERTY_WORDS ? `${parent}.${name}` : name)),
    )

    expect(Object.keys(PROPERTY_WORDS).filter((key) => !used.has(key))).toEqual([])
  })
})
