import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { describeOperation } from '../../../infra/openapi/operation.ts'
import { describeSchemas } from '../../../infra/openapi/schemas.ts'
import type { Shapes } from '../../../shared/base/wire/call.ts'
import { area, del, get, post, type RouteOptions } from '../../../shared/base/wire/route.ts'

const options: RouteOptions = {
  host: 'api',
  access: 'approvals:decide',
  rate: 'ai',
  uses: [],
  evidence: { none: 'a sample' },
  summary: 'Makes a thing. It is made once.',
}

const rows = area('things', {
  make: post('/things', { ...options, success: 201, evidence: 'policy.updated', emits: ['policy.updated'] }),
  check: post('/things/check', { ...options, idempotency: false }),
  read: get('/things/{id}', { ...options, resource: 'thing' }),
  remove: del('/things/{id}', { ...options, host: 'app', access: 'tenant:delete', success: 204 }),
  show: get('/things/{id}/now', options),
  look: get('/look', { ...options, access: 'public', rate: 'none' }),
  grant: post('/grant', { ...options, access: 'public', rate: 'auth', dialect: 'oauth', form: true }),
})

const Thing = z.object({ id: z.string() })
const body = z.strictObject({ name: z.string() })
const shapes: Record<keyof typeof rows, Shapes> = {
  make: { body, response: Thing },
  check: { body, response: z.object({ valid: z.boolean() }) },
  read: {
    query: z.object({
      version: z
        .string()
        .optional()
        .describe('This one.')
        .meta({ examples: ['3'] }),
      sort: z.enum(['a', 'b']),
    }),
    response: Thing,
  },
  remove: { response: z.undefined(), versioned: true },
  show: { response: Thing, versioned: true },
  grant: { body, response: Thing },
  look: { response: z.string().meta({ contentMediaType: 'text/html' }) },
}

const operations = Object.entries(rows).map(([key, route]) => ({ route, shapes: shapes[key as keyof typeof rows] }))
const schemas = describeSchemas(operations, {})
const described = (id: string) => {
  const operation = operations.find(({ route }) => route.id === id)
  if (!operation) throw new Error(`no operation ${id}`)
  return describeOperation({ ...operation, places: { '/things/{id}': ['Its id.', 'thi_1'] } }, schemas)
}
const statuses = (id: string) => Object.keys(described(id).responses as object).join(' ')

describe('an operation', () => {
  test('in the dialect of OAuth takes a form and refuses with the errors of OAuth', () => {
    const { requestBody, responses } = described('things-grant')
    const error = { required: ['error'], properties: { error: { type: 'string' } } }

    expect(requestBody).toMatchObject({ content: { 'application/x-www-form-urlencoded': {} } })
    expect(responses).toMatchObject({
      400: { content: { 'application/json': { schema: error } } },
      429: { headers: { 'Retry-After': expect.anything() }, content: { 'application/json': { schema: error } } },
    })
  })

  test('says in words and for programs who may call it and what follows', () => {
    const { summary, description, ...members } = described('things-make')

    expect(summary).toBe('Makes a thing')
    expect(description).toContain('It is made once.')
    expect(description).toContain('(keys with scope `governance:write` or `admin`; roles owner, admin, approver)')
    expect(members).toMatchObject({
      operationId: 'things-make',
      'x-access': { permission: 'approvals:decide', scope: 'governance:write' },
      'x-rate-limit-category': 'ai',
      'x-evidence': ['policy.updated'],
      'x-events': ['policy.updated'],
    })
  })

  test('that no key may call takes a person’s token only', () => {
    expect(described('things-remove').security).toEqual([{ Bearer: [] }])
  })

  test('of the application host is served there', () => {
    expect(described('things-remove').servers).toMatchObject([{ url: 'https://app.countersign.example' }])
  })

  test('takes an idempotency key unless its row says otherwise', () => {
    expect(described('things-make').parameters).toEqual([{ $ref: '#/components/parameters/IdempotencyKey' }])
    expect(described('things-check')).not.toHaveProperty('parameters')
  })

  test('names its path values in the words of its area and its query in those of its shape, required as its handler does', () => {
    expect(described('things-read').parameters).toMatchObject([
      { name: 'id', in: 'path', required: true, description: 'Its id.', example: 'thi_1' },
      {
        name: 'version',
        in: 'query',
        required: false,
        description: 'This one.',
        example: '3',
        schema: { type: 'string' },
      },
      { name: 'sort', in: 'query', required: true, schema: { enum: ['a', 'b'] } },
    ])
  })

  test('on something with versions takes and tells their tags', () => {
    expect(described('things-remove').parameters).toContainEqual({ $ref: '#/components/parameters/IfMatch' })
    expect(described('things-show').parameters).toContainEqual({ $ref: '#/components/parameters/IfNoneMatch' })
    expect(statuses('things-show')).toContain('200 304')
    expect(described('things-show')).toHaveProperty('responses.200.headers.ETag')
    expect(described('things-make')).not.toHaveProperty('responses.201.headers.ETag')
  })

  test('may be refused in the ways that its row makes possible', () => {
    expect(statuses('things-make')).toBe('201 400 401 403 409 413 422 429 500 503')
    expect(statuses('things-read')).toBe('200 400 401 403 404 422 429 500 503')
    expect(statuses('things-look')).toBe('200 400 422 500')
  })

  test('without an answer has no content, with a text its own media type', () => {
    expect(described('things-remove')).not.toHaveProperty('responses.204.content')
    expect(described('things-look')).toMatchObject({ responses: { 200: { content: { 'text/html': {} } } } })
  })
})

describe('shapes', () => {
  test('are named after the thing they show, or else after the operation that changes something', () => {
    expect(Object.keys(schemas.components)).toEqual(['Thing', 'ThingsCheckReply', 'ThingsMakeBody'])
  })
})
