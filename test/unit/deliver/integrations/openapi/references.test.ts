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
