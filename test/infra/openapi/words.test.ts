// Every property of the reference is described, by the shape that it is a member of.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
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

const ROOT = join(import.meta.dirname, '../../..')
/** A member of an object whose value is a text: `name: 'Its name.'`. A schema that is written out says it as `description`. */
const NAMED_TEXT = /([\w.]+)'?:\s+'((?:[^'\\\n]|\\.)+)'/g

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
    expect(bare.map(({ path }) => `${path}: describe it in its shape`)).toEqual([])
  })

  test('stand in no table by names outside the shapes', () => {
    const words = new Set(properties.map(({ property }) => property.description))
    const tables = globSync('infra/**/*.ts', { cwd: ROOT }).flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(NAMED_TEXT)].flatMap(([, name = '', text = '']) =>
        name !== 'description' && words.has(text) ? `${path}: ${name} is described in its shape` : [],
      ),
    )

    expect(tables).toEqual([])
  })
})
