import { expect, test } from 'vitest'
import { HttpResponse, type LayerRequest } from '../../../shared/base/wire/call.ts'
import { links } from '../../../shared/edge/endpoint.ts'
import { route } from './deployment.ts'

const layer = links({ ...route(), method: 'GET' })

/** The `Link` of an answer to a query. */
function linkOf(
  query: Record<string, string>,
  body: unknown,
  headers: Record<string, string> = {},
): string | undefined {
  const multiValueQueryStringParameters = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, [value]]),
  )
  const event = { multiValueQueryStringParameters, call: { query } }
  // The layer reads no more of a request.
  const request = { event, response: new HttpResponse(200, body, { headers }) } as unknown as LayerRequest
  layer.after?.(request)
  return (request.response as HttpResponse).headers.Link
}

test.each([
  [
    'a first page',
    { limit: '2', status: 'a b' },
    { next_cursor: 'c.1' },
    '<?limit=2&status=a+b>; rel="first", <?limit=2&status=a+b&cursor=c.1>; rel="next"',
  ],
  ['a further page', { cursor: 'c.1' }, { next_cursor: 'c.2' }, '<?>; rel="first", <?cursor=c.2>; rel="next"'],
  ['a last page', { cursor: 'c.2' }, { next_cursor: null }, '<?>; rel="first"'],
  [
    'a page by offset',
    { offset: '4', limit: '2' },
    { offset: 4, limit: 2, total: 7 },
    '<?limit=2&offset=0>; rel="first", <?limit=2&offset=6>; rel="next"',
  ],
  ['the last one', { offset: '5' }, { offset: 5, limit: 2, total: 7 }, '<?offset=0>; rel="first"'],
  [
    'one of a list that is not counted',
    { offset: '4' },
    { offset: 4, limit: 2, total: 5, total_is_lower_bound: true },
    '<?offset=0>; rel="first", <?offset=6>; rel="next"',
  ],
  [
    'the last that an offset reaches',
    { offset: '9999' },
    { offset: 9_999, limit: 2, total: 99_999 },
    '<?offset=0>; rel="first"',
  ],
])('%s', (_, query, page, expected) => {
  expect(linkOf(query, { items: [1, 2], total: 7, ...page })).toBe(expected)
})

test('a value of a client cannot end the link', () => {
  expect(linkOf({ q: '>; rel="next", <https://evil.example' }, { items: [], total: 0, next_cursor: null })).toBe(
    '<?q=%3E%3B+rel%3D%22next%22%2C+%3Chttps%3A%2F%2Fevil.example>; rel="first"',
  )
})

test('a table of text has the same links', () => {
  expect(linkOf({}, 'a,b', { 'X-Next-Cursor': 'c.1' })).toBe('<?>; rel="first", <?cursor=c.1>; rel="next"')
})

test.each([{ items: [1] }, 'text', undefined, { total: 1 }])('%j is no list and gets no link', (body) => {
  expect(linkOf({}, body)).toBeUndefined()
})
