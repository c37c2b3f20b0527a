import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Gateway, openGateway } from '../../../infra/local/gateway.ts'
import type { RestEvent } from '../../../infra/local/gateway-event.ts'
import { TaskTimedOut } from '../../../infra/local/lambda.ts'
import { Turns } from '../../../infra/local/turns.ts'
import { area, post, get, read, type RouteOptions } from '../../../shared/base/wire/route.ts'
import { send, type Sent } from '../../support/http.ts'
import { testClock } from '../../support/test-clock.ts'

const options: RouteOptions = {
  host: 'api',
  access: 'public',
  rate: 'none',
  uses: [],
  evidence: { none: 'a test' },
  summary: 'A route for tests',
}
const rows = area('things', {
  create: post('/things/{id}', options),
  list: get('/things', options),
  look: read('/looks', options),
})

const tools = area('tools', { use: post('/tools/{id}', { ...options, audience: 'mcp' }) })

let gateway: Gateway
let calls: { id: string; event: RestEvent }[]
let answer: () => unknown
let errors: unknown[]

beforeAll(async () => {
  gateway = await openGateway(0)
  gateway.serve({
    routes: [...Object.values(rows), ...Object.values(tools)],
    invoke: async (row, event) => {
      calls.push({ id: row.id, event: event as RestEvent })
      return answer()
    },
    clock: testClock(),
    onError: (error) => void errors.push(error),
  })
})
afterAll(() => gateway.close())
beforeEach(() => {
  calls = []
  errors = []
  answer = () => ({ statusCode: 200, body: '{}' })
})

const call = (path: string, sent: Partial<Sent> = {}) => send(`${gateway.url}${path}`, { method: 'POST', ...sent })
const eventOf = async (path: string, sent: Partial<Sent> = {}) => {
  await call(path, sent)
  return calls[0]?.event
}

describe('the event', () => {
  test('is the REST payload 1.0: names as sent, path values decoded once, body as text', async () => {
    const event = await eventOf('/things/a%2520b', { headers: { 'X-Thing': 'One' }, body: '{"ä":1}' })

    expect(event).toMatchObject({
      resource: '/things/{id}',
      path: '/things/a%2520b',
      httpMethod: 'POST',
      headers: { 'X-Thing': 'One' },
      pathParameters: { id: 'a%20b' },
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      body: '{"ä":1}',
      isBase64Encoded: false,
      requestContext: { identity: { sourceIp: '127.0.0.1' }, resourcePath: '/things/{id}' },
    })
  })

  test('keeps repeated headers and parameters', async () => {
    const event = await eventOf('/things/1?a=1&a=2&b=x+y%26', { headers: { 'X-Two': ['1', '2'] } })

    expect(event?.multiValueHeaders).toMatchObject({ 'X-Two': ['1', '2'] })
    expect(event?.multiValueQueryStringParameters).toEqual({ a: ['1', '2'], b: ['x y&'] })
    expect(event?.queryStringParameters).toEqual({ a: '2', b: 'x y&' })
  })

  test('carries a body that is not UTF-8 as base64', async () => {
    const event = await eventOf('/things/1', { body: Buffer.from([0xff, 0x00]) })

    expect(event).toMatchObject({ body: '/wA=', isBase64Encoded: true })
  })

  test('names the address that connected, whatever X-Forwarded-For says', async () => {
    const event = await eventOf('/things/1', { ip: '127.0.0.9', headers: { 'x-forwarded-for': '1.2.3.4' } })

    expect(event?.requestContext.identity.sourceIp).toBe('127.0.0.9')
    expect(event?.multiValueHeaders['X-Forwarded-For']).toEqual(['1.2.3.4, 127.0.0.9'])
  })
})

describe('what matches no route', () => {
  test.each([
    ['an unknown path', 'GET', '/nothing/here', '/{proxy+}'],
    ['another method of a known path', 'DELETE', '/things/1', '/things/{id}'],
    ['a preflight', 'OPTIONS', '/things', '/things'],
  ])('%s goes to the fallback function', async (_, method, path, resource) => {
    await call(path, { method })

    expect(calls).toMatchObject([{ id: 'gateway-unmatched', event: { resource, httpMethod: method } }])
  })
})

describe('the answer', () => {
  test('carries status, headers and a binary body', async () => {
    const body = Buffer.from('hello').toString('base64')
    answer = () => ({
      statusCode: 201,
      headers: { 'Content-Type': 'text/plain' },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] },
      body,
      isBase64Encoded: true,
    })

    expect(await call('/things/1')).toMatchObject({
      status: 201,
      text: 'hello',
      headers: { 'content-type': 'text/plain', 'set-cookie': 'a=1, b=2', 'x-amzn-requestid': expect.any(String) },
    })
  })

  test('to HEAD has the length of its body, and no body', async () => {
    answer = () => ({ statusCode: 200, body: 'hello' })

    expect(await call('/looks', { method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '5' },
    })
    expect(calls).toMatchObject([{ id: 'things-look', event: { httpMethod: 'HEAD' } }])
  })

  test('renames the headers that REST APIs rename', async () => {
    answer = () => ({ statusCode: 401, headers: { 'WWW-Authenticate': 'Bearer' }, body: '{}' })

    const { headers } = await call('/things/1')

    expect(headers).toMatchObject({ 'x-amzn-remapped-www-authenticate': 'Bearer' })
    expect(headers).not.toHaveProperty('www-authenticate')
  })

  test.each([
    ['no object', 'text'],
    ['no status', { body: '' }],
    ['a body that is no text', { statusCode: 200, body: {} }],
    ['an unknown member', { statusCode: 200, body: '', status: 1 }],
  ])('is 502 when the function returned %s', async (_, value) => {
    answer = () => value

    const { status, text: body } = await call('/things/1')

    expect(status).toBe(502)
    expect(JSON.parse(body)).toEqual({
      detail: 'The service failed. Try again, and report the trace_id if it fails again.',
      code: 'internal',
      trace_id: expect.stringMatching(/^1-[\da-f]{8}-[\da-f]{24}$/),
      request_id: expect.any(String),
    })
    expect(errors).toHaveLength(1)
  })

  test('is 504 when the function took too long', async () => {
    answer = () => Promise.reject(new TaskTimedOut())

    expect(await call('/things/1')).toMatchObject({ status: 504 })
  })
})

describe('refusals of the gateway itself', () => {
  const LIMIT = 10_485_760

  test('a body of 10 MB passes, one byte more is 413, and no function is called', async () => {
    expect((await call('/things/1', { body: Buffer.alloc(LIMIT, 'a') })).status).toBe(200)
    calls = []

    const refused = await call('/things/1', { body: Buffer.alloc(LIMIT + 1, 'a') })

    expect(refused.status).toBe(413)
    expect(JSON.parse(refused.text)).toMatchObject({
      detail: `The request body exceeds ${LIMIT} bytes. Send a smaller one.`,
      code: 'too_large',
    })
    expect(calls).toEqual([])
  })

  test.each(['/things/%zz', '/things/1?a={b}', '/things/1?a|b'])('%s is 400', async (path) => {
    // A client library would encode these characters.
    const socket = connect(gateway.port, '127.0.0.1')
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)

    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]*"code":"malformed"/)
  })
})

test('a refusal repeats the id by which the caller knows the request', async () => {
  const body = Buffer.alloc(10_485_761, 'a')
  const { headers } = await call('/things/1', { body, headers: { 'x-correlation-id': 'order-4711' } })

  expect(headers['x-correlation-id']).toBe('order-4711')
  expect((await call('/things/1', { body })).headers).not.toHaveProperty('x-correlation-id')
})

describe('the authorizer of a route', () => {
  const judged = (Effect: string, context?: object) => () => ({
    policyDocument: { Statement: [{ Effect }] },
    context,
    statusCode: 200,
    body: '{}',
  })

  test('is asked first, without the body', async () => {
    answer = judged('Allow')
    await call('/tools/ten_1', { headers: { Authorization: 'Bearer x' }, body: '{}' })

    expect(calls).toMatchObject([
      {
        id: 'workers-challenge',
        event: {
          type: 'REQUEST',
          methodArn: expect.stringMatching(/\/live\/POST\/tools\/ten_1$/),
          pathParameters: { id: 'ten_1' },
          multiValueHeaders: { Authorization: ['Bearer x'] },
        },
      },
      { id: 'tools-use', event: { body: '{}' } },
    ])
    expect(calls[0]?.event).not.toHaveProperty('body')
  })

  test('denies in its own words, which no gateway renames, and no function is called', async () => {
    answer = judged('Deny', { challenge: 'Bearer resource_metadata="x"' })
    const { status, headers, text: body } = await call('/tools/ten_1')

    expect(status).toBe(401)
    expect(headers).toMatchObject({ 'www-authenticate': 'Bearer resource_metadata="x"', 'cache-control': 'no-store' })
    expect(headers['x-amzn-requestid']).toBe(headers['x-request-id'])
    expect(JSON.parse(body)).toMatchObject({ code: 'unauthenticated', request_id: headers['x-request-id'] })
    expect(calls.map(({ id }) => id)).toEqual(['workers-challenge'])
  })

  test('is not asked about other methods of its path', async () => {
    await call('/tools/ten_1', { method: 'OPTIONS' })

    expect(calls.map(({ id }) => id)).toEqual(['gateway-unmatched'])
  })
})

describe('too much at once', () => {
  const calm = { ...options, rate: 'global' } as const
  const busyRows = area('busy', { work: get('/work', calm), probe: get('/probe', options) })
  const never = () => new Promise<void>(() => {})

  test('is 503 with Retry-After for whoever finds no place, while the others are answered, and probes always', async () => {
    const busy = await openGateway(0)
    const held = Promise.withResolvers<object>()
    const ok = { statusCode: 200, body: '{}' }
    busy.serve({
      routes: Object.values(busyRows),
      invoke: (row) => (row.id === 'busy-work' ? held.promise : Promise.resolve(ok)),
      clock: testClock(),
      turns: new Turns({ running: 1, waiting: 1, patience: never }),
      onError: (error) => void errors.push(error),
    })
    const ask = (path: string) => send(`${busy.url}${path}`, { method: 'GET' })

    const working = [ask('/work'), ask('/work'), ask('/work')]
    const refused = await Promise.race(working)
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'busy', trace_id: expect.any(String) })
    expect(await ask('/probe')).toMatchObject({ status: 200 })

    held.resolve(ok)
    expect((await Promise.all(working)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 503])
    expect(await ask('/work')).toMatchObject({ status: 200 })
    expect(errors).toEqual([])
    await busy.close()
  })
})

test('a request that came before the service was ready is answered then', async () => {
  const early = await openGateway(0)
  const waiting = send(`${early.url}/things`, { method: 'GET' })

  early.serve({
    routes: Object.values(rows),
    invoke: async () => ({ statusCode: 200, body: 'ready' }),
    clock: testClock(),
    onError: () => {},
  })

  expect(await waiting).toMatchObject({ status: 200, text: 'ready' })
  await early.close()
})

test('closing finishes the requests under way', async () => {
  const busy = await openGateway(0)
  const { promise, resolve } = Promise.withResolvers<object>()
  const called = Promise.withResolvers<void>()
  busy.serve({
    routes: Object.values(rows),
    invoke: () => {
      called.resolve()
      return promise
    },
    clock: testClock(),
    onError: () => {},
  })
  const waiting = send(`${busy.url}/things`, { method: 'GET' })
  await called.promise

  const closed = busy.close()
  resolve({ statusCode: 200, body: 'done' })

  expect(await waiting).toMatchObject({ status: 200, text: 'done' })
  await closed
})
