import { describe, expect, test } from 'vitest'
import { actionOf, converted } from './document.ts'

const query = { name: 'q', in: 'query', schema: { type: 'string' } }
const media = (...types: string[]) => ({
  content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'object' } }])),
})

describe('the input of an action', () => {
  test('keeps equal names in their places', async () => {
    const named = (at: string, required = false) => ({ name: 'name', in: at, required, schema: { type: 'string' } })
    const { endpoint } = await actionOf({
      '/a/{name}': {
        parameters: [named('path'), named('query')],
        put: {
          parameters: [named('query', true), named('header')],
          requestBody: { ...media('application/json'), required: true },
        },
      },
    })
    const part = (required: boolean) => ({
      type: 'object',
      properties: { name: { type: 'string' } },
      ...(required && { required: ['name'] }),
      additionalProperties: false,
    })
    expect(endpoint.input_schema).toEqual({
      type: 'object',
      properties: { path: part(true), query: part(true), header: part(false), body: { type: 'object' } },
      required: ['path', 'query', 'body'],
      additionalProperties: false,
    })
    expect(endpoint.target).toEqual({
      type: 'connection',
      connector_id: 'my-tool',
      method: 'PUT',
      path: '/a/{name}',
      content_type: 'application/json',
      params: [
        { name: 'name', in: 'path', style: 'simple', explode: false },
        { name: 'name', in: 'query', style: 'form', explode: true },
        { name: 'name', in: 'header', style: 'simple', explode: false },
      ],
    })
  })

  test('takes nothing where nothing is sent', async () => {
    const { endpoint } = await actionOf({ '/a': { get: { requestBody: media('application/json') } } })
    expect(endpoint.input_schema).toEqual({ type: 'object', properties: {}, additionalProperties: false })
  })

  test('has the variables that a document forgot to declare', async () => {
    const { endpoint } = await actionOf({ '/a/{id}/b': { get: {} } })
    expect(endpoint.input_schema).toMatchObject({ properties: { path: { required: ['id'] } } })
  })

  test('holds no header that the service or the connection sets', async () => {
    const header = (name: string, required = false) => ({ name, in: 'header', required })
    const names = [
      'Accept',
      'Content-Type',
      'Idempotency-Key',
      'Host',
      'Connection',
      'X-Forwarded-For',
      'webhook-id',
      'X-Mine',
    ]
    const parameters = [...names.map((name) => header(name, true)), header('Authorization'), header('Cookie')]
    const { endpoint } = await actionOf({ '/a': { get: { parameters } } })
    expect(endpoint.target.params.map(({ name }) => name)).toEqual(['X-Mine'])
  })
})

describe('the body of an action', () => {
  test.for([
    [['application/xml', 'application/json; charset=utf-8'], 'application/json'],
    [['application/merge-patch+json', 'text/plain'], 'application/merge-patch+json'],
    [['*/*'], 'application/json'],
    [['multipart/form-data', 'application/x-www-form-urlencoded'], 'application/x-www-form-urlencoded'],
    [['text/plain; charset=utf-8'], 'text/plain'],
  ] as const)('%j is sent as %s', async ([types, content_type]) => {
    const { endpoint } = await actionOf({ '/a': { post: { requestBody: media(...types) } } })
    expect(endpoint.target.content_type).toBe(content_type)
    expect(endpoint.input_schema).toMatchObject({
      properties: { body: { type: content_type === 'text/plain' ? 'string' : 'object' } },
    })
  })

  test('may be the variables of a GraphQL document', async () => {
    const graphql = 'query Me { viewer { id } }'
    const { endpoint } = await actionOf({
      '/graphql': { post: { 'x-graphql': graphql, requestBody: media('application/json') } },
    })
    expect(endpoint.target.graphql).toBe(graphql)
  })
})

describe('operations that cannot be published', () => {
  const required = (parameter: object) => ({ parameters: [{ required: true, ...parameter }] })
  test.for([
    [{ '/a': { post: { requestBody: media('multipart/form-data') } } }, 'POST /a', 'unsupported_body'],
    [{ '/a': { get: required({ name: 'a', in: 'cookie' }) } }, 'GET /a', 'required_cookie'],
    [{ '/a': { get: required({ name: 'Cookie', in: 'header' }) } }, 'GET /a', 'required_cookie'],
    [{ '/a': { get: required({ name: 'authorization', in: 'header' }) } }, 'GET /a', 'required_authorization'],
    [{ '/a': { get: required({ name: 'a', in: 'querystring' }) } }, 'GET /a', 'unsupported_parameter'],
    [{ '/a': { get: required({ ...query, style: 'unheard' }) } }, 'GET /a', 'unsupported_parameter'],
    [
      { '/a': { get: required({ name: 'a', in: 'query', content: { 'application/xml': {} } }) } },
      'GET /a',
      'unsupported_parameter',
    ],
    [
      { '/a/{b}': { get: required({ name: 'b', in: 'path', style: 'matrix' }) } },
      'GET /a/{b}',
      'unsupported_parameter',
    ],
    [{ '/a': { options: {} } }, 'OPTIONS /a', 'unsupported_method'],
    [{ '/a': { query: {} } }, 'QUERY /a', 'unsupported_method'],
    [{ '/a': { additionalOperations: { COPY: {} } } }, 'COPY /a', 'unsupported_method'],
    [{ '/a/../b': { get: {} } }, 'GET /a/../b', 'unsupported_path'],
    [{ '/a/%2e%2e/b': { get: {} } }, 'GET /a/%2e%2e/b', 'unsupported_path'],
    [{ '/a?b=c': { get: {} } }, 'GET /a?b=c', 'unsupported_path'],
    [{ '/a\\b': { get: {} } }, 'GET /a\\b', 'unsupported_path'],
    [{ a: { get: {} } }, 'GET a', 'unsupported_path'],
    [{ '/a/{b': { get: {} } }, 'GET /a/{b', 'unsupported_path'],
  ] as const)('%#: %s', async ([paths, operation, reason]) => {
    expect(await converted(paths)).toMatchObject({ operations: [], skipped: [{ operation, reason }] })
  })
})

test('a document may have 5,000 operations', async () => {
  const paths = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`/${i}`, { get: {} }]))
  expect((await converted(paths(5_000))).operations).toHaveLength(5_000)
  await expect(converted(paths(5_001))).rejects.toThrow('must not have more than 5000 operations')
})
