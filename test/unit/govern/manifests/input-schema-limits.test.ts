import { describe, expect, test } from 'vitest'
import { inputSchemaProblems } from '../../../../shared/govern/manifests/input-schema-limits.ts'
import { schemaViolations } from '../../../../shared/govern/manifests/payload-check.ts'

type Schema = Record<string, unknown>
const problems = (schema: Schema) =>
  inputSchemaProblems(schema).map(({ path, message }) => `${path.join('.')}: ${message}`)
const placesOf = (schema: Schema) => inputSchemaProblems(schema).map(({ path }) => path.join('.'))

test('an ordinary schema is accepted', () => {
  expect(
    problems({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { type: 'object', properties: { city: { type: 'string', maxLength: 80 } } } },
      properties: {
        home: { $ref: '#/$defs/address' },
        work: { $ref: '#/$defs/address' },
        again: { $ref: '#/properties/home' },
      },
      required: ['home'],
      additionalProperties: false,
    }),
  ).toEqual([])
})

test.each([
  [{ pattern: 'a' }, 'pattern'],
  [{ properties: { a: { pattern: 'a' } } }, 'properties.a.pattern'],
  [{ patternProperties: { a: {} } }, 'patternProperties'],
  [{ items: { anyOf: [{}, { pattern: 'a' }] } }, 'items.anyOf.1.pattern'],
  [{ $defs: { unused: { not: { pattern: 'a' } } } }, '$defs.unused.not.pattern'],
  [{ dependentSchemas: { a: { if: { pattern: 'a' } } } }, 'dependentSchemas.a.if.pattern'],
  [{ $id: 'https://example.com/x' }, '$id'],
  [{ properties: { a: { $dynamicRef: '#x' } } }, 'properties.a.$dynamicRef'],
  [{ $schema: 'http://json-schema.org/draft-04/schema#' }, '$schema'],
  [{ dependencies: { a: { pattern: 'a' } } }, 'dependencies'],
  [{ additionalItems: false }, 'additionalItems'],
])('%j is refused at %s', (schema, place) => {
  expect(placesOf(schema)).toEqual([place])
})

describe('a former draft is accepted where nothing in the schema differs', () => {
  const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
  const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'
  const plain = { type: 'object', properties: { a: { items: { type: 'string' } } }, required: ['a'] }
  const beside = { $ref: '#/definitions/a', maxLength: 2 }
  const definitions = { a: { type: 'string' } }

  test.each([
    { $schema: DRAFT_07, ...plain },
    { $schema: DRAFT_2019, ...plain },
    { $schema: 'http://json-schema.org/draft-07/schema', definitions, properties: { a: { $ref: '#/definitions/a' } } },
    { $schema: DRAFT_07, definitions, properties: { a: { $ref: '#/definitions/a', description: 'x' } } },
    { $schema: DRAFT_2019, definitions, properties: { a: beside } },
    { $schema: DRAFT_07, properties: { prefixItems: {}, items: {} } },
  ])('%j', (schema) => {
    expect(problems(schema)).toEqual([])
    expect(schemaViolations(schema, [])).toEqual([])
  })

  test.each([
    [{ $schema: DRAFT_07, definitions, properties: { a: beside } }, 'properties.a.maxLength'],
    [{ $schema: DRAFT_07, properties: { a: { items: [{}] } } }, 'properties.a.items'],
    [{ $schema: DRAFT_2019, items: [{}] }, 'items'],
    [{ $schema: DRAFT_2019, prefixItems: [{}] }, 'prefixItems'],
    [{ $schema: DRAFT_07, dependentRequired: { a: ['b'] } }, 'dependentRequired'],
    [{ $schema: DRAFT_07, unevaluatedProperties: false }, 'unevaluatedProperties'],
    [{ $schema: DRAFT_2019, contains: {}, unevaluatedItems: false }, 'unevaluatedItems'],
  ])('%j is refused at %s', (schema, place) => {
    expect(placesOf(schema)).toEqual([place])
  })
})

test.each([
  { properties: { pattern: { type: 'string' }, $id: {}, patternProperties: {} } },
  { enum: [{ pattern: 'a' }], const: { $ref: 'x' }, default: { pattern: 'b' } },
  { required: ['pattern'] },
])('names and values are not keywords: %j', (schema) => {
  expect(problems(schema)).toEqual([])
})

describe('references', () => {
  test.each(['https://example.com/s', 'other.json', '#anchor', '#/$defs/missing', '#/$defs/a/b/c', '/$defs/a', '', 5])(
    '%j leads out or nowhere',
    ($ref) => {
      expect(placesOf({ $defs: { a: {} }, properties: { x: { $ref } } })).toEqual(['properties.x.$ref'])
    },
  )

  test('escapes of JSON pointers are read', () => {
    expect(problems({ $defs: { 'a/b~c': {} }, $ref: '#/$defs/a~1b~0c' })).toEqual([])
  })

  test('members that every object inherits are no schemas', () => {
    expect(placesOf({ $ref: '#/constructor' })).toEqual(['$ref'])
  })

  test.each([
    { properties: { child: { $ref: '#' } } },
    { $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/b' } }, b: { not: { $ref: '#/$defs/a' } } } },
    { anyOf: [{ $ref: '#' }] },
  ])('recursion is refused: %j', (schema) => {
    expect(problems(schema)).toEqual([': must not refer to itself'])
  })

  test('doubling references are refused, however short they are written', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i}`,
        i === 39 ? {} : { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    )

    expect(problems({ $defs, $ref: '#/$defs/d0' })).toEqual([
      expect.stringContaining('must not hold more than 5000 subschemas'),
    ])
  })
})

const schemaOf = (length: number) => ({ description: 'x'.repeat(length) })

describe('size', () => {
  const nested = (depth: number): Schema => (depth === 1 ? { type: 'x' } : { not: nested(depth - 1) })

  test('nesting ends at 16', () => {
    expect(problems(nested(16))).toEqual([])
    expect(problems(nested(17))).toEqual([': must not be nested deeper than 16'])
  })

  test('canonical bytes end at 32 KiB', () => {
    const frame = JSON.stringify(schemaOf(0)).length

    expect(problems(schemaOf(32_768 - frame))).toEqual([])
    expect(problems(schemaOf(32_769 - frame))).toEqual([': must not exceed 32768 bytes'])
  })
})
