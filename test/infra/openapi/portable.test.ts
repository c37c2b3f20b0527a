import { describe, expect, test } from 'vitest'
import { openapiDocument } from '../../../infra/openapi/document.ts'
import { portable } from '../../../infra/openapi/portable.ts'
import { asObject, type Json, type JsonObject } from '../support/resolve.ts'

describe('a schema', () => {
  test('of a nullable type is a choice of types, with its description', () => {
    expect(portable({ type: ['string', 'null'], minLength: 1, description: 'A name.' })).toEqual({
      anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }],
      description: 'A name.',
    })
  })

  test('of an object whose other members may be anything says so', () => {
    expect(portable({ type: 'object', additionalProperties: {} })).toEqual({
      type: 'object',
      additionalProperties: true,
    })
  })

  test('keeps members whose names are keywords, and data', () => {
    const schema = { properties: { type: { type: 'string' }, pattern: { type: 'string' } }, enum: ['\\d'] }

    expect(portable(schema)).toEqual(schema)
  })
})

describe('a pattern', () => {
  test.each([
    [String.raw`^\d{4}-[\d-]$`, '^[0-9]{4}-[0-9-]$'],
    [String.raw`^[\w.]\w$`, '^[A-Za-z0-9_.][A-Za-z0-9_]$'],
    [String.raw`^[^\u0000-\u001f]*$`, String.raw`^[^\x00-\x1f]*$`],
    [String.raw`^\[\.\]$`, String.raw`^\[\.\]$`],
  ])('%s is written %s', (pattern, text) => {
    expect(portable({ pattern })).toEqual({ pattern: text })
  })

  test('that repeats more often than engines do becomes a length', () => {
    expect(portable({ pattern: '^[a-z]{1,4096}$' })).toEqual({ pattern: '^[a-z]*$', minLength: 1, maxLength: 4096 })
  })

  test.each([String.raw`^\p{L}$`, '^(?=a)', '^(?<name>a)$', String.raw`^(a)\1$`])('%s is left out', (pattern) => {
    expect(portable({ type: 'string', pattern })).toEqual({ type: 'string' })
  })
})

/** Every schema of the document, with its place. */
function* schemasIn(node: Json | undefined, place = ''): Generator<[string, JsonObject]> {
  if (Array.isArray(node)) for (const [index, one] of node.entries()) yield* schemasIn(one, `${place}/${index}`)
  else if (typeof node === 'object' && node !== null) {
    yield [place, node]
    for (const [name, one] of Object.entries(node)) {
      if (!['example', 'examples', 'default', 'enum'].includes(name)) yield* schemasIn(one, `${place}/${name}`)
    }
  }
}

describe('the document', async () => {
  const all = [...schemasIn(JSON.parse(JSON.stringify(await openapiDocument())))]

  test('has one type for each schema', () => {
    expect(all.filter(([, { type }]) => Array.isArray(type)).map(([place]) => place)).toEqual([])
  })

  test('says of every object without members what it may hold', () => {
    const silent = all.filter(
      ([, { type, properties, additionalProperties, allOf }]) =>
        type === 'object' && !properties && !allOf && additionalProperties === undefined,
    )

    expect(silent.map(([place]) => place)).toEqual([])
  })

  test('has patterns in the syntax that engines share', () => {
    const unshared = /\\[dDwWsSbBpPuk1-9]|\(\?(?!:)|\{(?:\d+,)?(?:\d{5,}|[2-9]\d{3}|1(?!000)\d{3})\}/
    const patterns = all.flatMap(([place, { pattern }]) => (typeof pattern === 'string' ? [`${place} ${pattern}`] : []))

    expect(patterns.length).toBeGreaterThan(100)
    expect(patterns.filter((one) => unshared.test(one))).toEqual([])
  })

  test('requires no member of a request that has a default', () => {
    const requests = all.filter(([place]) => /^\/components\/schemas\/\w+Body(\/|$)/.test(place))
    const defaults = requests.filter(([, schema]) => Object.hasOwn(schema, 'default'))
    const [, notify] = requests.find(([place]) => place.endsWith('/AlertsCreateRuleBody/properties/enabled')) ?? []

    expect(defaults.map(([place]) => place)).toEqual([])
    expect(asObject(notify).description).toContain('Default: `true`.')
  })
})
