import { afterEach, describe, expect, test } from 'vitest'
import {
  readBody,
  readHeaders,
  readIds,
  readIp,
  readQuery,
  mustNotRepeatHeaders,
  type RestEvent,
  timesSent,
} from '../../../../shared/base/wire/rest-event.ts'

const event = (parts: Partial<RestEvent>): RestEvent => ({
  httpMethod: 'GET',
  path: '/x',
  resource: '/x',
  requestContext: {},
  ...parts,
})

describe('headers', () => {
  test('names are lower case, and repeated ones are joined', () => {
    const sent = event({ multiValueHeaders: { 'X-Thing': ['a', 'b'], 'x-thing': ['c'], Accept: ['*/*'] } })

    expect(readHeaders(sent)).toEqual({ 'x-thing': 'a, b, c', accept: '*/*' })
    expect(timesSent(sent, 'x-thing')).toBe(3)
    expect(timesSent(sent, 'accept')).toBe(1)
    expect(timesSent(sent, 'authorization')).toBe(0)
  })

  test('an event without headers has none', () => {
    expect(readHeaders(event({ multiValueHeaders: null }))).toEqual({})
  })

  test.each(['Idempotency-Key', 'If-Match', 'Content-Type'])('a repeated %s is refused with 400', (name) => {
    const twice = event({ multiValueHeaders: { [name]: ['a'], [name.toLowerCase()]: ['a'] } })

    expect(() => mustNotRepeatHeaders(twice)).toThrow(
      expect.objectContaining({
        status: 400,
        detail: `You sent the header ${name.toLowerCase()} more than once. Send it once.`,
      }),
    )
    expect(() => mustNotRepeatHeaders(event({ multiValueHeaders: { [name]: ['a, b'] } }))).not.toThrow()
  })
})

describe('query', () => {
  test('each parameter has one value', () => {
    expect(readQuery(event({ multiValueQueryStringParameters: { limit: ['1'], q: [''] } }))).toEqual({
      limit: '1',
      q: '',
    })
    expect(readQuery(event({ multiValueQueryStringParameters: null }))).toEqual({})
  })

  test('a repeated parameter is refused with 400', () => {
    expect(() => readQuery(event({ multiValueQueryStringParameters: { limit: ['1', '1'] } }))).toThrow(
      expect.objectContaining({ status: 400 }),
    )
  })

  test('names of object internals are plain names', () => {
    const query = readQuery(
      event({ multiValueQueryStringParameters: JSON.parse('{"__proto__":["a"],"constructor":["b"]}') }),
    )

    expect(Object.entries(query)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
    expect(Object.getPrototypeOf(query)).toBe(Object.prototype)
  })
})

test('the body is bytes, decoded from base64 when the gateway says so', () => {
  expect(readBody(event({ body: 'é' }))).toEqual(Buffer.from([0xc3, 0xa9]))
  expect(readBody(event({ body: '/w==', isBase64Encoded: true }))).toEqual(Buffer.from([0xff]))
  expect(readBody(event({ body: null }))).toHaveLength(0)
})

describe('ids', () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'

  afterEach(() => {
    delete process.env._X_AMZN_TRACE_ID
  })

  test('a valid traceparent gives the trace id', () => {
    expect(readIds({ traceparent: `00-${trace}-00f067aa0ba902b7-01` }, 'req_1').trace_id).toBe(trace)
    expect(readIds({ traceparent: `cc-${trace}-00f067aa0ba902b7-00` }, 'req_1').trace_id).toBe(trace)
  })

  test.each([
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `ff-${trace}-00f067aa0ba902b7-01`,
    `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${trace}-00f067aa0ba902b7`,
    `00-${trace}-00f067aa0ba902b7-01, 00-${trace}-00f067aa0ba902b7-01`,
    trace,
    '',
  ])('the invalid traceparent %j is ignored (W3C Trace Context)', (traceparent) => {
    const { trace_id } = readIds({ traceparent }, 'req_1')

    expect(trace_id).toMatch(/^[\da-f]{32}$/)
    expect(trace_id).not.toMatch(new RegExp(`^(?:0{32}|${trace})$`, 'i'))
  })

  test("without one, the gateway's trace gives it", () => {
    process.env._X_AMZN_TRACE_ID = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1'

    expect(readIds({}, 'req_1').trace_id).toBe('5759e988bd862e3fe1be46a994272793')
    expect(readIds({ traceparent: `00-${trace}-00f067aa0ba902b7-01` }, 'req_1').trace_id).toBe(trace)
  })

  test('X-Correlation-Id comes before X-Request-Id, and neither can choose our request id', () => {
    const both = { 'x-correlation-id': 'order:4711', 'x-request-id': 'client-request' }

    expect(readIds(both, 'req_1')).toMatchObject({ request_id: 'req_1', correlation_id: 'order:4711' })
    expect(readIds({ 'x-request-id': 'client-request' }, 'req_1').correlation_id).toBe('client-request')
    expect(readIds({}, 'req_1').correlation_id).toBeUndefined()
  })

  test.each(['short', 'a'.repeat(129), 'has a space', 'semi;colon', 'line\nbreak', 'ümlaut-long'])(
    'the ill-formed correlation id %j is not echoed',
    (id) => {
      expect(readIds({ 'x-correlation-id': id }, 'req_1').correlation_id).toBeUndefined()
      expect(readIds({ 'x-correlation-id': id, 'x-request-id': 'well-formed' }, 'req_1').correlation_id).toBe(
        'well-formed',
      )
    },
  )
})

describe('the address of a caller', () => {
  const sent = (forwarded: string) =>
    readIp(event({ requestContext: { identity: { sourceIp: '10.0.0.9' } } }), { 'x-forwarded-for': forwarded })

  test('is the peer of the gateway, whatever the caller says', () => {
    expect(sent('203.0.113.7, 10.0.0.9')).toBe('10.0.0.9')
  })

  test('is what the trusted proxy saw, never what the caller wrote before it', () => {
    process.env.TRUSTED_PROXY_HOPS = '1'
    const addresses = [sent('1.1.1.1, 203.0.113.7, 10.0.0.9'), sent('10.0.0.9'), sent('')]
    delete process.env.TRUSTED_PROXY_HOPS

    expect(addresses).toEqual(['203.0.113.7', '10.0.0.9', '10.0.0.9'])
  })
})
