import * as z from 'zod'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { httpResponse, unchanged } from '../../../shared/base/wire/call.ts'
import { endpoint } from '../../../shared/edge/endpoint.ts'
import { Failure } from '../../../shared/base/lib/failure.ts'
import { expectServerErrors } from '../../support/server-errors.ts'
import { type Deployment, deploy, makeThing, route } from './deployment.ts'

let service: Deployment
let key: string
beforeEach(async () => {
  service = await deploy()
  key = await service.key()
})

const shapes = { response: z.object({ name: z.string().optional(), detail: z.string().optional() }) }
const unrecorded = route({ evidence: { none: 'test' } })

const throwing = (error: unknown) =>
  endpoint(unrecorded, shapes, () => {
    throw error
  })

describe('our own faults', () => {
  test.each([
    new Error('table countersign-prod at 10.0.0.7'),
    new TypeError("cannot read 'pk'"),
    Object.assign(new Error('AccessDenied on arn:aws:kms'), { name: 'AccessDeniedException', $fault: 'client' }),
    'a thrown string',
    undefined,
  ])('%s is a 500 with a fixed text and a trace id', async (error) => {
    expectServerErrors()
    const reply = await service.send(throwing(error), { key })

    expect(reply.status).toBe(500)
    expect(reply.body).toEqual({
      detail: 'The service failed. Try again, and report the trace_id if it fails again.',
      code: 'internal',
      trace_id: expect.stringMatching(/^[\da-f]{32}$/),
      request_id: reply.headers['X-Request-Id'],
    })
    expect(reply.headers.traceparent).toContain(String(reply.body.trace_id))
  })

  test('the cause of a 500 is printed once to whoever runs a test that expects none', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue()
    const cause = new Error('a bug')
    for (let n = 0; n < 2; n += 1) await service.send(throwing(cause), { key })
    const calls = [...print.mock.calls]
    print.mockRestore()

    expect(calls).toEqual([[`500 from ${unrecorded.id}:`, cause]])
  })

  test('a dependency that does not answer is a 503 with Retry-After, which keeps its story to itself', async () => {
    const named = (name: string, more: object = {}) => Object.assign(new Error('secret host'), { name, ...more })
    const outages = [
      named('TimeoutError'),
      named('InternalServerError', { $fault: 'server' }),
      named('Error', { code: 'ECONNREFUSED' }),
      named('Error', { code: 'EHOSTUNREACH' }),
    ]
    for (const error of outages) {
      const reply = await service.send(throwing(error), { key })

      expect(reply, error.name).toMatchObject({
        status: 503,
        headers: { 'Retry-After': '1' },
        body: { detail: 'A dependency did not answer in time. Repeat the request.', code: 'unavailable' },
      })
      expect(reply.body).toHaveProperty('trace_id')
    }
  })

  test('a dependency that was asked too much is a 503 with Retry-After that says so', async () => {
    const names = ['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded']
    for (const name of [...names, 'TransactionCanceledException']) {
      const error = Object.assign(new Error('secret host'), { name, $fault: 'client' })

      expect(await service.send(throwing(error), { key }), name).toMatchObject({
        status: 503,
        headers: { 'Retry-After': '1' },
        body: { detail: 'The service is busy. Repeat the request in a second.', code: 'busy' },
      })
    }
  })

  test('the table being down is a 503 before the operation is reached', async () => {
    service.table.hooks.before = ({ name }) => {
      if (name.endsWith('GetItem')) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    }

    expect(await service.send(throwing(new Error('not reached')), { key })).toMatchObject({ status: 503 })
  })

  test('an answer that breaks its own shape is our fault, not an answer', async () => {
    const handler = endpoint(unrecorded, { response: z.object({ name: z.string() }) }, async () =>
      httpResponse(200, { name: 1 }),
    )

    expectServerErrors()
    expect(await service.send(handler, { key })).toMatchObject({ status: 500, body: { code: 'internal' } })
  })
})

describe('failures that a caller can cause', () => {
  test('detail and code reach the caller, the internal story does not', async () => {
    const failure = new Failure('conflict', 'it is taken', {
      code: 'already_exists',
      internal: 'row 7',
      cause: new Error('x'),
    })
    const reply = await service.send(throwing(failure), { key })

    expect(reply.status).toBe(409)
    expect(reply.body).toEqual({
      detail: 'it is taken',
      code: 'already_exists',
      request_id: reply.headers['X-Request-Id'],
    })
  })

  test('without a code of its own a failure is told by its kind', async () => {
    expect((await service.send(throwing(new Failure('not_found', 'thing not found')), { key })).body.code).toBe(
      'not_found',
    )
  })
})

describe('evidence', () => {
  test('a success whose artifact was not committed is refused', async () => {
    const handler = endpoint(route(), shapes, async () => ({ name: 'a' }))

    expectServerErrors()
    expect(await service.send(handler, { key })).toMatchObject({ status: 500, body: { code: 'internal' } })
  })

  test('an artifact of another type does not count', async () => {
    const other = endpoint(route({ evidence: 'policy.updated' }), shapes, ({ ctx }) => makeThing(ctx, 'a'))
    const right = endpoint(route({ evidence: ['policy.updated', 'manifest.registered'] }), shapes, ({ ctx }) =>
      makeThing(ctx, 'b'),
    )

    expectServerErrors()
    expect((await service.send(other, { key })).status).toBe(500)
    expect((await service.send(right, { key })).status).toBe(201)
  })

  test('what changed nothing needs none: a repeat, or an outcome that is no success', async () => {
    const repeat = endpoint(route(), shapes, async () => unchanged({ name: 'a' }))
    const refused = endpoint(route(), shapes, async () => httpResponse(403, { detail: 'no' }))

    expect((await service.send(repeat, { key })).status).toBe(200)
    expect((await service.send(refused, { key })).status).toBe(403)
  })
})

describe('answers', () => {
  test('pass their shape, which drops what it does not name', async () => {
    const plain = endpoint(unrecorded, shapes, async () => ({ name: 'a', secret: 's' }))
    const made = endpoint(unrecorded, shapes, async () =>
      httpResponse(202, { name: 'a', secret: 's' }, { Location: '/x' }),
    )

    expect((await service.send(plain, { key })).body).toEqual({ name: 'a' })
    expect(await service.send(made, { key })).toMatchObject({
      status: 202,
      headers: { Location: '/x' },
      body: { name: 'a' },
    })
  })

  test('carry the common headers, and HSTS where the service is reached over TLS', async () => {
    const handler = endpoint(unrecorded, shapes, async () => ({ name: 'a' }))
    const { headers } = await service.send(handler, { key })

    expect(headers).toMatchObject({
      'X-Request-Id': expect.stringMatching(/^req_[0-9A-Z]{26}$/),
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
      'X-RateLimit-Limit': '2000',
      'X-RateLimit-Category': 'global',
    })
    process.env.BASE_URL = 'http://localhost'
    expect((await service.send(handler, { key })).headers).not.toHaveProperty('Strict-Transport-Security')
  })

  test('wait for the work beside them', async () => {
    const handler = endpoint(unrecorded, shapes, async () => ({ name: 'a' }))

    await service.send(handler, { key })
    const [item] = service.table.items('countersign').filter(({ _type }) => _type?.S === 'APIKEY')
    expect(item?.last_used_at?.S).toMatch(/^2026-11-20T22:37/)
  })
})
