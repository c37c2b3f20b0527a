import { describe, expect, test } from 'vitest'
import { converted, written } from './document.ts'

const chain = (length: number) =>
  Object.fromEntries([
    ...Array.from({ length }, (_, i) => [`S${i}`, { $ref: `#/components/schemas/S${i + 1}` }] as const),
    [`S${length}`, { type: 'string' }],
  ])
const schemas = (of: object) => ({ components: { schemas: of } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe('references', () => {
  test('are written out, with encoded pointers', async () => {
    const parts = schemas({ 'a/b ~c': { type: 'integer' } })
    expect(await written(ref('a~1b%20~0c'), parts)).toEqual({ type: 'integer' })
  })

  test('are followed over 50 others and no further', async () => {
    expect(await written(ref('S0'), schemas(chain(49)))).toEqual({ type: 'string' })
    expect(await written(ref('S0'), schemas(chain(51)))).toEqual({})
  })

  test('end where they lead back to themselves', async () => {
    const person = { type: 'object', properties: { name: { type: 'string' }, boss: ref('Person') } }
    expect(await written(ref('Person'), schemas({ Person: person }))).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, boss: {} },
    })
    expect(await written(ref('A'), schemas({ A: ref('B'), B: ref('A') }))).toEqual({})
    expect(await written({ items: ref('A') }, schemas({ A: { items: ref('B') }, B: { items: ref('A') } }))).toEqual({
      items: { items: { items: {} } },
    })
  })

  test('that double at each level are given up at once', async () => {
    const doubling = Array.from({ length: 40 }, (_, i) => [
      `D${i}`,
      { properties: { a: ref(`D${i + 1}`), b: ref(`D${i + 1}`) } },
    ])
    const all = schemas(Object.fromEntries([...doubling, ['D40', { type: 'string' }]]))
    const short = JSON.stringify(await written(ref('D0'), all))
    expect(short.match(/\{\}/g)).toHaveLength(2 ** 5)
  })

  test('to path items are followed', async () => {
    const item = { get: { operationId: 'readIt', parameters: [{ $ref: '#/components/parameters/Page' }] } }
    const { operations } = await converted(
      { '/a': { $ref: '#/components/pathItems/A' } },
      {
        components: {
          pathItems: { A: item },
          parameters: { Page: { name: 'page', in: 'query', schema: { type: 'integer' } } },
        },
      },
    )
    expect(operations).toMatchObject([
      { operation: 'GET /a', endpoint: { target: { params: [{ name: 'page', in: 'query' }] } } },
    ])
  })

  test('of operations are followed, and what stands beside them wins', async () => {
    const shared = {
      operationId: 'theirs',
      summary: 'Shared.',
      'x-governance-tier': 'HARD',
      parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
    }
    const { operations } = await converted(
      {
        '/a': { get: { $ref: '#/x-shared/read', operationId: 'mine', 'x-governance-tier': 'SOFT' } },
        '/b': { $ref: '#/x-shared/item', parameters: [{ name: 'r', in: 'query' }], put: {} },
      },
      { 'x-shared': { read: shared, item: { 'x-governance-tier': 'HARD', get: { $ref: '#/x-shared/read' } } } },
    )
    expect(operations).toMatchObject([
      { operation: 'GET /a', endpoint: { action_id: 'mine', description: 'Shared.', min_tier: 'HARD' } },
      { operation: 'GET /b', endpoint: { min_tier: 'HARD', target: { params: [{ name: 'r' }, { name: 'q' }] } } },
      { operation: 'PUT /b', endpoint: { min_tier: 'HARD', target: { params: [{ name: 'r' }] } } },
    ])
  })

  test('of one operation into another file skip it alone, by its name', async () => {
    const { operations, skipped } = await converted({ '/a': { get: { $ref: 'a.yml#/get' }, put: {} } })
    expect(operations.map(({ operation }) => operation)).toEqual(['PUT /a'])
    expect(skipped).toEqual([{ operation: 'GET /a', reason: 'remote_reference', detail: 'a.yml#/get' }])
  })

  test('to names of schemas are followed, where one schema has the name', async () => {
    const named = {
      A: { $anchor: 'a', type: 'integer' },
      B: { $id: 'https://example.com/b', $defs: { c: { type: 'boolean' } }, type: 'string' },
      C: { $anchor: 'twice' },
      D: { $anchor: 'twice' },
    }
    expect(await written({ $ref: '#a' }, schemas(named))).toEqual({ type: 'integer' })
    expect(await written({ $ref: 'https://example.com/b' }, schemas(named))).toEqual({ type: 'string' })
    expect(await written({ $ref: 'https://example.com/b#/$defs/c' }, schemas(named))).toEqual({ type: 'boolean' })
    const self = { $self: 'https://example.com/api', openapi: '3.2.0', ...schemas(named) }
    expect(await written({ $ref: 'https://example.com/api#/components/schemas/A' }, self)).toEqual({ type: 'integer' })
    await expect(written({ $ref: '#twice' }, schemas(named))).rejects.toThrow('broken_reference')
  })

  test('keep what stands beside each of them', async () => {
    const named = { A: { $ref: '#/components/schemas/B', minLength: 2 }, B: { type: 'string' } }
    expect(await written({ ...ref('A'), maxLength: 3 }, schemas(named))).toEqual({
      allOf: [{ type: 'string' }, { maxLength: 3 }, { minLength: 2 }],
    })
    expect(await written({ ...ref('B'), nullable: true }, { ...schemas(named), openapi: '3.0.3' })).toEqual({
      anyOf: [{ type: 'string' }, { type: 'null' }],
    })
  })

  test.for([
    ['https://example.com/a.json#/A', 'remote_reference'],
    ['other.yaml', 'remote_reference'],
    ['#/components/schemas/Missing', 'broken_reference'],
    ['#/components/schemas/__proto__', 'broken_reference'],
    ['#anchor', 'broken_reference'],
    ['#/%', 'broken_reference'],
  ])('%s is not followed', async ([$ref, reason]) => {
    const body = { content: { 'application/json': { schema: { properties: { a: { $ref } } } } } }
    const { operations, skipped } = await converted({
      '/body': { post: { requestBody: body } },
      '/parameter': { get: { parameters: [{ $ref }] } },
      '/item': { $ref },
      '/fine': { get: {} },
    })
    expect(operations.map(({ operation }) => operation)).toEqual(['GET /fine'])
    expect(new Set(skipped)).toEqual(
      new Set([
        { operation: 'POST /body', reason, detail: $ref },
        { operation: 'GET /parameter', reason, detail: $ref },
        { operation: '/item', reason, detail: $ref },
      ]),
    )
  })
})
