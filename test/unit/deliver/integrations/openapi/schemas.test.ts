import { describe, expect, test } from 'vitest'
import { inputSchemaProblems } from '../../../../../shared/govern/manifests/input-schema-limits.ts'
import { schemaViolations } from '../../../../../shared/govern/manifests/payload-check.ts'
import { actionOf, written } from './document.ts'

/** As a parser reads it: not the number that the document names. */
const TOO_BIG = Number('9223372036854775807')
const V30 = { openapi: '3.0.3' }

describe('a schema becomes one that a manifest may hold', () => {
  test.for([
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    ['nullable values', { enum: ['a'], nullable: true }, { anyOf: [{ enum: ['a', null] }, { type: 'null' }] }],
    [
      'nullable compositions',
      { allOf: [{ type: 'string' }], nullable: true },
      { anyOf: [{ allOf: [{ type: 'string' }] }, { type: 'null' }] },
    ],
    ['lists of types', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    ['unknown types', { type: 'file' }, {}],
    ['patterns', { type: 'string', pattern: '^(a+)+$', maxLength: 9 }, { type: 'string', maxLength: 9 }],
    ['patterns of names', { patternProperties: { a: {} }, additionalProperties: false }, {}],
    [
      'one of several',
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    [
      'both lists',
      { oneOf: [{ type: 'string' }], anyOf: [{ maxLength: 3 }] },
      { anyOf: [{ maxLength: 3 }], allOf: [{ anyOf: [{ type: 'string' }] }] },
    ],
    ['refusals', { not: { pattern: 'a' } }, {}],
    [
      'examples',
      { type: 'string', example: 'a', examples: ['b'], default: 'c', title: 'd', xml: {}, 'x-a': 1 },
      { type: 'string' },
    ],
    ['big integers', { type: 'integer', maximum: TOO_BIG, minimum: -5 }, { type: 'integer', minimum: -5 }],
    ['big values', { enum: [1, TOO_BIG] }, {}],
    [
      'exclusive bounds of 3.0',
      { minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: false },
      { exclusiveMinimum: 1, maximum: 2 },
    ],
    [
      'malformed keywords',
      { minLength: -1, maxItems: 1.5, required: 'a', enum: [], items: true, properties: [], multipleOf: 0 },
      {},
    ],
    ['objects as values', { enum: [{ a: 1 }] }, {}],
    ['maps', { additionalProperties: { type: 'string', pattern: 'a' } }, { additionalProperties: { type: 'string' } }],
    [
      'references to a fine sibling',
      { $ref: '#/components/schemas/A', maxLength: 3 },
      { allOf: [{ type: 'string' }, { maxLength: 3 }] },
    ],
  ])('%s', async ([, schema, expected]) => {
    expect(await written(schema, { components: { schemas: { A: { type: 'string' } } } })).toEqual(expected)
  })

  test('before 3.1 nothing stands beside a reference', async () => {
    const parts = { ...V30, components: { schemas: { A: { type: 'string' } } } }
    expect(await written({ $ref: '#/components/schemas/A', maxLength: 3 }, parts)).toEqual({ type: 'string' })
  })

  test('members that only answers hold are not asked for', async () => {
    const properties = { id: { type: 'string', readOnly: true }, at: { $ref: '#/components/schemas/At' }, name: {} }
    const parts = { components: { schemas: { At: { type: 'string', readOnly: true } } } }
    expect(await written({ required: ['id', 'at', 'name', 'name'], properties }, parts)).toEqual({
      properties: { name: {} },
      required: ['name'],
    })
  })

  test.for([
    [
      'a parent',
      { allOf: [{ $ref: '#/components/schemas/Base' }, { required: ['id', 'name'] }] },
      { allOf: [{}, { required: ['name'] }] },
    ],
    [
      'a sibling',
      { $ref: '#/components/schemas/Base', required: ['id', 'name'] },
      { allOf: [{}, { required: ['name'] }] },
    ],
    [
      'another branch',
      { required: ['id'], oneOf: [{ $ref: '#/components/schemas/Base' }, { properties: { a: {} }, required: ['a'] }] },
      { anyOf: [{}, { properties: { a: {} }, required: ['a'] }] },
    ],
    [
      'a member that is composed',
      { properties: { at: { allOf: [{ type: 'string' }, { readOnly: true }] }, b: {} }, required: ['at'] },
      { properties: { b: {} } },
    ],
    [
      'all alternatives of a member',
      { properties: { at: { oneOf: [{ readOnly: true }, { type: 'null', readOnly: true }] } }, required: ['at'] },
      {},
    ],
    [
      'a closed object, which examples often fill as a whole',
      { properties: { id: { readOnly: true, type: 'string' }, b: {} }, required: ['id'], additionalProperties: false },
      { properties: { id: {}, b: {} }, additionalProperties: false },
    ],
    [
      'what is only sent',
      { properties: { a: { writeOnly: true } }, required: ['a'] },
      { properties: { a: {} }, required: ['a'] },
    ],
  ])('members of answers are not asked for by %s', async ([, schema, expected]) => {
    const Base = { properties: { id: { readOnly: true } }, required: ['id'], minProperties: 1 }
    expect(await written(schema, { components: { schemas: { Base } } })).toEqual(expected)
  })

  test.for([
    [{ type: 'string', example: 5 }, { type: ['string', 'number'] }],
    [{ enum: ['a'], examples: ['b'] }, {}],
    [
      { type: 'object', required: ['a', 'b'], example: { a: 1 } },
      { type: 'object', required: ['a'] },
    ],
    [{ type: 'object', additionalProperties: false, example: { a: 1 } }, { type: 'object' }],
    [
      { type: 'object', required: ['a'], example: '{"a":1}' },
      { type: 'object', required: ['a'] },
    ],
    [{ type: 'array', example: 'a,b' }, { type: ['array', 'string'] }],
    [
      { type: 'number', multipleOf: 0.01, example: 19.99 },
      { type: 'number', multipleOf: 0.01 },
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }], example: 1 }, {}],
    [{ items: { maxLength: 1 }, example: ['ab'] }, { items: {} }],
    [{ enum: ['a'], example: '\ud800' }, { enum: ['a'] }],
    [{ type: 'string', example: null }, { type: 'string' }],
  ])('%j does not refuse its own example', async ([schema, expected]) => {
    expect(await written(schema)).toEqual(expected)
  })

  test('`__proto__` is nobody’s member', async () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"},"a":{}},"required":["a"]}')
    expect(JSON.stringify(await written(schema))).toBe('{"properties":{"a":{}},"required":["a"]}')
  })
})

describe('a schema that is too large', () => {
  const wide = (description: string, inner: object = {}) => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`p${i}`, { type: 'string', description, ...inner }]),
    ),
  })
  const putting = (schema: object) => ({
    '/a': { put: { requestBody: { content: { 'application/json': { schema } } } } },
  })

  test('loses length of descriptions first, then all of them', async () => {
    expect(await written({ type: 'string', description: 'x'.repeat(300) })).toEqual({
      type: 'string',
      description: 'x'.repeat(200),
    })
    const { endpoint, simplified } = await actionOf(putting(wide('x'.repeat(200))))
    expect(JSON.stringify(endpoint.input_schema)).toMatch(/"p99":\{"type":"string"\}/)
    expect(simplified).toBe(false)
  })

  /** Objects in objects, with a thousand members in the innermost. */
  const nested = (depth: number): object => {
    const members = Array.from({ length: depth === 0 ? 1_000 : 1 }, (_, i) => [
      `p${i}`,
      depth === 0 ? { type: 'string' } : nested(depth - 1),
    ])
    return { type: 'object', properties: Object.fromEntries(members) }
  }
  const objects = (schema: object) => JSON.stringify(schema).split('"type":"object"').length - 1

  test.for([
    [5, 6],
    [4, 3],
    [2, 3],
  ] as const)('then what is deeper than five objects or two: %i', async ([depth, kept]) => {
    const { endpoint, simplified } = await actionOf(putting(nested(depth)))
    const { properties } = endpoint.input_schema as { properties: { body: object } }
    expect({ objects: objects(properties.body), simplified }).toEqual({ objects: kept, simplified: true })
  })

  test('then all', async () => {
    const { endpoint, simplified } = await actionOf(putting(nested(1)))
    expect({ schema: endpoint.input_schema, simplified }).toEqual({ schema: { type: 'object' }, simplified: true })
  })

  test('is given up before all that leads to it is read', async () => {
    const members = Object.fromEntries(Array.from({ length: 7_000 }, (_, i) => [`r${i}`, { readOnly: true }]))
    const { endpoint } = await actionOf(putting({ allOf: [1, 2, 3].map(() => ({ properties: { ...members } })) }))
    expect(endpoint.input_schema).toEqual({ type: 'object' })
  })

  test('and examples that are too large are not looked at', async () => {
    const items = { type: 'array', items: { type: 'string' } }
    const many = (length: number) => ({ ...items, example: Array.from({ length }, () => 1) })
    expect(await written(many(900))).toEqual({ type: 'array', items: { type: ['string', 'number'] } })
    expect(await written(many(1_100))).toEqual(items)
  })

  test('whatever it was, a manifest may hold it', async () => {
    const deep = (levels: number): object => (levels === 0 ? { type: 'string' } : { items: deep(levels - 1) })
    for (const schema of [deep(40), wide('', { enum: ['x'.repeat(300)] }), deep(3)]) {
      const { endpoint } = await actionOf(putting(schema))
      expect(inputSchemaProblems(endpoint.input_schema)).toEqual([])
      expect(schemaViolations(endpoint.input_schema, [])).toEqual([])
    }
    const { endpoint, simplified } = await actionOf(putting(deep(40)))
    expect({ schema: endpoint.input_schema, simplified }).toEqual({ schema: { type: 'object' }, simplified: true })
  })
})
