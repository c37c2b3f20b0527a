import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../shared/base/wire/parse-body.ts'
import { requestOf, requestViolations } from '../../../../shared/govern/manifests/connection-request.ts'
import type { ConnectionParameter, ConnectionTarget } from '../../../../shared/govern/manifests/connection-target.ts'

const BASE = 'https://api.example.com/v1'
const target = (over: Partial<ConnectionTarget> = {}): ConnectionTarget => ({
  type: 'connection',
  connector_id: 'tool',
  method: 'POST',
  path: '/a',
  params: [],
  ...over,
})
const inPath = (name: string, explode = false) => ({ name, in: 'path', style: 'simple', explode }) as const
const inQuery = (style: ConnectionParameter['style'], explode: boolean) =>
  ({ name: 'q', in: 'query', style, explode }) as const
const inHeader = (name: string) => ({ name, in: 'header', style: 'simple', explode: false }) as const

describe('path values', () => {
  const path = '/users/{id}/notes'
  const users = target({ path, params: [inPath('id')] })
  const messages = (payload: JsonObject) =>
    requestViolations(users, payload).map(({ loc, msg }) => `${loc.join('.')} ${msg}`)

  test.for([
    ['a b', 'a%20b'],
    ['a/../b', 'a%2F..%2Fb'],
    ['%2e%2e', '%252e%252e'],
    ['...', '...'],
    ['?x=1#y', '%3Fx%3D1%23y'],
    ['\\..\\', '%5C..%5C'],
    ['é\ud800', '%C3%A9%EF%BF%BD'],
    [7, '7'],
    [['a', 'b,c'], 'a,b%2Cc'],
    [{ r: 1 }, 'r,1'],
  ] as const)('%j', ([id, written]) => {
    const payload = { path: { id: id as JsonObject[string] } }
    expect(messages(payload)).toEqual([])
    expect(requestOf(users, payload, BASE)?.url).toBe(`https://api.example.com/v1/users/${written}/notes`)
  })

  test.for(['', '.', '..', 'a\nb', 'a\u0000', '\u007f', ['a', '..']])('%j is refused', (id) => {
    expect(messages({ path: { id } })).toEqual([
      'body.payload.path.id must not be empty, `.`, `..` or hold control characters',
    ])
  })

  test('that are missing are refused, and nobody else’s count', () => {
    expect(messages({})).toHaveLength(1)
    expect(messages({ path: {} })).toHaveLength(1)
    expect(messages({ path: [] })).toHaveLength(1)
    expect(requestOf(users, JSON.parse('{"path":{"__proto__":{"id":"a"}}}'), BASE)).toBeUndefined()
  })

  test('that make a step up only together are refused', () => {
    const both = target({ path: '/x/{a}{b}/y', params: [inPath('a'), inPath('b')] })
    expect(requestViolations(both, { path: { a: '.', b: '.' } })).toHaveLength(2)
    const half = target({ path: '/x/.{a}/y', params: [inPath('a')] })
    expect(requestViolations(half, { path: { a: '.' } })).toHaveLength(1)
    expect(requestOf(half, { path: { a: '.' } }, BASE)).toBeUndefined()
  })

  test('never change the address of the base', () => {
    for (const base of [BASE, 'https://api.example.com', 'https://api.example.com/', 'https://api.example.com/v1/']) {
      const url = new URL(requestOf(users, { path: { id: '//evil.example/' } }, base)?.url ?? '')
      expect(url.origin).toBe('https://api.example.com')
      expect(url.pathname.endsWith('/users/%2F%2Fevil.example%2F/notes')).toBe(true)
    }
    expect(requestOf(target({ path: '/../admin' }), {}, BASE)).toBeUndefined()
    expect(requestOf(target({ path: '/{unknown}' }), {}, BASE)).toBeUndefined()
  })
})

describe('query values', () => {
  test.for([
    ['form', true, 'a b&c', 'q=a%20b%26c'],
    ['form', true, ['a', 'b'], 'q=a&q=b'],
    ['form', false, ['a', 'b,c'], 'q=a,b%2Cc'],
    ['form', true, { x: 1, 'y&': 2 }, 'x=1&y%26=2'],
    ['form', false, { x: 1, y: 2 }, 'q=x,1,y,2'],
    ['spaceDelimited', false, ['a', 'b'], 'q=a%20b'],
    ['pipeDelimited', false, ['a', 'b'], 'q=a%7Cb'],
    ['deepObject', true, { x: 1, y: { z: [true, 'a&b'] } }, 'q[x]=1&q[y][z][0]=true&q[y][z][1]=a%26b'],
    ['form', true, null, ''],
    ['form', true, [], ''],
    ['form', true, [{ a: 1 }], 'q=%7B%22a%22%3A1%7D'],
  ] as const)('%s %s %j', ([style, explode, value, query]) => {
    const of = target({ params: [inQuery(style, explode)] })
    const url = requestOf(of, { query: { q: value as JsonObject[string] } }, BASE)?.url
    expect(url).toBe(`${BASE}/a${query && `?${query}`}`)
  })

  test('are those of the manifest alone', () => {
    const of = target({ params: [inQuery('form', true)] })
    expect(requestOf(of, { query: { other: 'x' } }, BASE)?.url).toBe(`${BASE}/a`)
  })
})

describe('headers', () => {
  const of = target({ params: [inHeader('X-Mine')] })
  test('are written, and must be printable', () => {
    expect(requestOf(of, { header: { 'X-Mine': ['a', 'b'], 'X-Other': 'c' } }, BASE)?.headers).toEqual({
      'x-mine': 'a,b',
    })
    for (const value of ['a\r\nX-Evil: 1', 'é', 'x'.repeat(4_097)])
      expect(requestViolations(of, { header: { 'X-Mine': value } })).toHaveLength(1)
  })
})

describe('bodies', () => {
  const FORM = 'application/x-www-form-urlencoded'
  test.for([
    ['application/json', { a: [1] }, '{"a":[1]}'],
    ['application/json', 'text', '"text"'],
    ['application/json', null, 'null'],
    [FORM, { a: { b: ['x y', '&'] }, 'c[': true, n: null }, 'a[b][0]=x%20y&a[b][1]=%26&c%5B=true'],
    ['text/plain', 'a\nb', 'a\nb'],
  ] as const)('%s %j', ([content_type, body, written]) => {
    const request = requestOf(target({ content_type }), { body: body as JsonObject[string] }, BASE)
    expect(request).toEqual({ url: `${BASE}/a`, headers: { 'content-type': content_type }, body: written })
  })

  test.for([
    [
      {},
      { a: ['x y', '&'], o: { b: [1] }, n: null, l: [{ c: 1 }] },
      'a=x%20y&a=%26&o=%7B%22b%22%3A%5B1%5D%7D&l=%7B%22c%22%3A1%7D',
    ],
    [{ a: { style: 'form', explode: false } }, { a: ['x', 'y'] }, 'a=x,y'],
    [{ a: { style: 'form', explode: true } }, { a: { x: 1, y: 2 } }, 'x=1&y=2'],
    [{ a: { style: 'pipeDelimited', explode: false } }, { a: ['x', 'y'] }, 'a=x%7Cy'],
    [{ a: { style: 'deepObject', explode: true } }, { a: { b: { c: 1 } } }, 'a[b][c]=1'],
    [{ a: { style: 'json', explode: false } }, { a: ['x'] }, 'a=%5B%22x%22%5D'],
    [{ a: { style: 'text', explode: false } }, { a: 'x' }, 'a=x'],
    [{ a: { style: 'form', explode: true, reserved: true } }, { a: 'x/y&z=1' }, 'a=x/y%26z%3D1'],
    [{}, JSON.parse('{"constructor":["x"]}'), 'constructor=x'],
  ] as const)('forms with the encoding %j', ([encoding, body, written]) => {
    const of = target({ content_type: FORM, encoding })
    expect(requestOf(of, { body: body as JsonObject[string] }, BASE)?.body).toBe(written)
  })

  test('that cannot be written are refused', () => {
    expect(requestViolations(target({ content_type: FORM }), { body: ['a'] })).toHaveLength(1)
    expect(requestViolations(target({ content_type: 'text/plain' }), { body: {} })).toHaveLength(1)
    expect(requestViolations(target({ content_type: FORM }), {})).toEqual([])
  })

  test('that nobody sent are not sent', () => {
    expect(requestOf(target({ content_type: 'application/json' }), {}, BASE)).toEqual({ url: `${BASE}/a`, headers: {} })
    expect(requestOf(target(), { body: { a: 1 } }, BASE)).toEqual({ url: `${BASE}/a`, headers: {} })
  })

  test('are the variables of a GraphQL document', () => {
    const of = target({ content_type: 'application/json', graphql: 'query A($id: ID!) { a(id: $id) }' })
    expect(JSON.parse(requestOf(of, { body: { id: '"}' } }, BASE)?.body ?? '')).toEqual({
      query: of.graphql,
      variables: { id: '"}' },
    })
  })
})
