import { get as httpGet, type IncomingMessage } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, openGateway } from '../../../infra/local/gateway.ts'
import type { InvokeStream } from '../../../infra/local/streaming.ts'
import { area, get } from '../../../shared/base/wire/route.ts'
import { send } from '../../support/http.ts'
import { testClock } from '../../support/test-clock.ts'

const { follow } = area('things', {
  follow: get('/follow', {
    host: 'api',
    access: 'public',
    rate: 'none',
    uses: [],
    evidence: { none: 'a test' },
    summary: 'Streams.',
    stream: true,
  }),
})

let gateway: Gateway
let stream: InvokeStream
let errors: unknown[]
beforeEach(async () => {
  gateway = await openGateway(0)
  errors = []
  gateway.serve({
    routes: [follow],
    invoke: async () => ({ statusCode: 500 }),
    stream: (...call) => stream(...call),
    clock: testClock(),
    onError: (error) => void errors.push(error),
  })
})
afterEach(() => gateway.close())

const open = () =>
  new Promise<IncomingMessage>((resolve, reject) => httpGet(`${gateway.url}/follow`, resolve).on('error', reject))

test('a reader gets each part as it is written', async () => {
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  stream = async (_, __, response) => {
    response.write('first')
    await promise
    response.end('second')
  }

  const reader = (await open())[Symbol.asyncIterator]()

  expect(String((await reader.next()).value)).toBe('first')
  finish()
  expect(String((await reader.next()).value)).toBe('second')
  expect((await reader.next()).done).toBe(true)
})

test('the function is given the event of API Gateway, and the answer its id', async () => {
  const events: unknown[] = []
  stream = async (_, event, response) => {
    events.push(event)
    response.end()
  }

  const { headers } = await send(`${gateway.url}/follow?a=1`, { method: 'GET' })

  expect(events).toMatchObject([{ httpMethod: 'GET', multiValueQueryStringParameters: { a: ['1'] } }])
  expect(headers['x-amzn-requestid']).toBeDefined()
})

test('a function that fails before its first byte is answered by the gateway', async () => {
  stream = () => Promise.reject(new Error('x'))

  expect(await send(`${gateway.url}/follow`, { method: 'GET' })).toMatchObject({ status: 502 })
  expect(errors).toHaveLength(1)
})

test('a function that fails later ends the connection', async () => {
  stream = async (_, __, response) => {
    response.write('first')
    throw new Error('x')
  }

  const received = async () => {
    for await (const _ of await open());
  }

  await expect(received()).rejects.toThrow(/aborted|hang up/)
  expect(errors).toHaveLength(1)
})

test('closing the gateway ends the streams that are open', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  stream = async (_, __, response) => {
    response.write('first')
    response.on('close', resolve)
    await promise
  }
  const reader = await open()
  reader.on('error', () => {})

  await gateway.close()

  expect(reader.destroyed || (await promise.then(() => true))).toBe(true)
})
