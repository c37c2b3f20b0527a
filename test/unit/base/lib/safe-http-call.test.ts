import { gzipSync } from 'node:zlib'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressSet, type OutboundRules } from '../../../../shared/base/lib/safe-http-target.ts'
import { call } from '../../../../shared/base/lib/safe-http-call.ts'
import type { OutboundRequest } from '../../../../shared/base/lib/safe-http.ts'
import { certificate } from './certificate.ts'
import { receiver, says, strictReceiver } from './receivers.ts'

const loopback: OutboundRules = {
  allowed: addressSet('127.0.0.1/32'),
  http: true,
  resolve: async () => ['127.0.0.1'],
}

const post = (url: string, change: Partial<OutboundRequest> = {}, rules = loopback) =>
  call({ url, method: 'POST', headers: {}, body: '{}', deadlineMs: 5_000, answerBytesMax: 16_384, ...change }, rules)

/** Posts to a receiver and ends the call as its deadline would, at the moment `when` is called. */
async function postUntil(url: (when: () => void) => Promise<string>) {
  const controller = new AbortController()
  return post(await url(() => setImmediate(() => controller.abort())), { signal: controller.signal })
}

describe('an answer', () => {
  test('comes back with status, headers, body and the address that gave it', async () => {
    const { port, requests } = await receiver(
      says('HTTP/1.1 202 Accepted', 'X-Twice: a', 'X-Twice: b', 'Content-Length: 2', '', 'ok'),
    )

    const outcome = await post(`http://localhost:${port}/hook?a=1`, { headers: { 'x-a': 'b' } })

    expect(outcome).toMatchObject({ kind: 'answer', status: 202, body_end: 'whole', remote_ip: '127.0.0.1' })
    expect(outcome).toMatchObject({ headers: { 'x-twice': 'a, b' }, body: Buffer.from('ok') })
    expect(requests[0]).toMatch(/^POST \/hook\?a=1 HTTP\/1\.1\r\n/)
    expect(requests[0]).toContain(`Host: localhost:${port}`)
    expect(requests[0]).toContain('accept-encoding: identity')
    expect(requests[0]).toContain('x-a: b')
  })

  test.each([101, 200, 204, 301, 308, 400, 404, 410, 429, 500, 503])('of status %i is an answer', async (status) => {
    const { port } = await receiver(says(`HTTP/1.1 ${status} Whatever`, 'Content-Length: 0', '', ''))

    expect(await post(`http://localhost:${port}/`)).toMatchObject({ kind: 'answer', status })
  })

  test('that redirects is not followed', async () => {
    const inside = await receiver(says('HTTP/1.1 200 OK', '', 'secret'))
    const { port } = await receiver(
      says('HTTP/1.1 302 Found', `Location: http://127.0.0.1:${inside.port}/`, 'Content-Length: 0', '', ''),
    )

    expect(await post(`http://localhost:${port}/`)).toMatchObject({ kind: 'answer', status: 302 })
    expect(inside.connections).toBe(0)
  })

  test('given before the request was read counts', async () => {
    const { port } = await receiver(says('HTTP/1.1 413 Too Large', 'Connection: close', 'Content-Length: 0', '', ''))

    const outcome = await post(`http://localhost:${port}/`, { body: 'x'.repeat(2_000_000) })

    expect(outcome).toMatchObject({ kind: 'answer', status: 413 })
  })

  test('may carry headers of any name, but for the one that no map can hold', async () => {
    const { port } = await receiver(
      says('HTTP/1.1 500 Oops', '__proto__: a', 'constructor: b', 'Content-Length: 0', '', ''),
    )

    const outcome = await post(`http://localhost:${port}/`)

    const headers = outcome.kind === 'answer' ? Object.keys(outcome.headers) : []
    expect(new Set(headers)).toEqual(new Set(['constructor', 'content-length']))
  })

  test('of 204 with a body is an answer without one', async () => {
    const { port } = await receiver(says('HTTP/1.1 204 No Content', 'Content-Length: 5', '', 'hello'))

    const outcome = await post(`http://localhost:${port}/`)

    expect(outcome).toMatchObject({ kind: 'answer', status: 204, body: Buffer.alloc(0) })
  })
})

describe('the status line decides', () => {
  test('when the body hangs until the deadline', async () => {
    const { port } = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart')
    })

    const outcome = await post(`http://localhost:${port}/`, { deadlineMs: 500 })

    expect(outcome).toMatchObject({ kind: 'answer', status: 200, body_end: 'cut_off' })
  })

  test('when the receiver closes in the middle of its body', async () => {
    const { port } = await receiver(says('HTTP/1.1 200 OK', 'Content-Length: 100', '', 'part'))

    const outcome = await post(`http://localhost:${port}/`)

    expect(outcome).toMatchObject({ kind: 'answer', status: 200, body: Buffer.from('part'), body_end: 'cut_off' })
  })

  test('when the body is endless, of which a bounded part is read', async () => {
    let written = 0
    const { port } = await receiver((socket) => {
      const flood = () => {
        written += 65_536
        if (!socket.destroyed) socket.write(Buffer.alloc(65_536), () => setImmediate(flood))
      }
      socket.write('HTTP/1.1 200 OK\r\n\r\n', flood)
    })

    const outcome = await post(`http://localhost:${port}/`)

    expect(outcome).toMatchObject({ kind: 'answer', status: 200, body_end: 'too_long' })
    expect(outcome.kind === 'answer' && outcome.body.length).toBe(16_384)
    expect(written).toBeLessThan(20_000_000)
  })

  test('when the body is a gzip bomb, which is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000))
    const { port } = await receiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`)
      socket.end(bomb)
    })

    const outcome = await post(`http://localhost:${port}/`)

    expect(outcome).toMatchObject({ kind: 'answer', body: bomb, body_end: 'whole' })
  })
})

describe('no answer', () => {
  test.each([
    ['a receiver that hangs', ''],
    ['slow headers', 'HTTP/1.1 200 OK\r\nX-A: '],
    ['an informational answer only', 'HTTP/1.1 199 Wait\r\n\r\n'],
  ])('from %s ends at the deadline', async (_, start) => {
    const outcome = await postUntil(async (when) => {
      const { port } = await receiver((socket) => void socket.write(start, when))
      return `http://localhost:${port}/`
    })

    expect(outcome).toMatchObject({ kind: 'unanswered', error_class: 'timeout', remote_ip: '127.0.0.1' })
  })

  test('within the deadline of the call is a time-out', async () => {
    const { port } = await receiver(() => undefined)

    expect(await post(`http://localhost:${port}/`, { deadlineMs: 1_000 })).toMatchObject({
      kind: 'unanswered',
      error_class: 'timeout',
    })
  })

  test.each([
    ['garbage', 'garbage\r\n\r\n', 'invalid_response'],
    ['headers of 200 KB', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(200_000)}\r\n\r\n`, 'header_overflow'],
    ['nothing', '', 'connection_reset'],
  ])('but %s is told apart', async (_, text, error_class) => {
    const { port } = await receiver(says(text))

    expect(await post(`http://localhost:${port}/`)).toMatchObject({ kind: 'unanswered', error_class })
  })

  test('from a reset connection may still have been received', async () => {
    const { port } = await receiver((socket) => socket.resetAndDestroy())

    expect(await post(`http://localhost:${port}/`)).toMatchObject({
      kind: 'unanswered',
      error_class: 'connection_reset',
    })
  })
})

describe('a request that was never sent', () => {
  test('is one whose name does not resolve', async () => {
    const outcome = await post('https://receiver.example.com/', {}, { ...loopback, resolve: () => Promise.reject() })

    expect(outcome).toMatchObject({ kind: 'not_sent', error_class: 'dns_error' })
  })

  test('is one whose name server hangs until the deadline', async () => {
    const outcome = await post(
      'https://receiver.example.com/',
      { deadlineMs: 20 },
      { ...loopback, resolve: () => new Promise(() => undefined) },
    )

    expect(outcome).toMatchObject({ kind: 'not_sent', error_class: 'timeout' })
  })

  test('is one whose connection was refused', async () => {
    const { port } = await receiver(() => undefined)
    const closed = port === 65_535 ? port - 1 : port + 1

    const outcome = await post(`http://localhost:${closed}/`)

    expect(outcome).toMatchObject({ kind: 'not_sent', error_class: 'connection_refused' })
  })
})

describe('a body', () => {
  const url = (port: number) => `http://localhost:${port}/`

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'of %s is framed by its length',
    async (method) => {
      const { port, request } = await strictReceiver()
      const body = JSON.stringify({ text: 'grüße', next: 'GET /admin HTTP/1.1' })

      expect(await post(url(port), { method, body })).toMatchObject({ kind: 'answer', status: 200 })
      const { head = '', body: read = '', left } = (await request) ?? {}
      expect(head).toMatch(new RegExp(`^${method} / HTTP/1.1\r\n`))
      expect({ body: Buffer.from(read, 'latin1').toString(), left }).toEqual({ body, left: '' })
    },
  )

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'that is absent is none: %s',
    async (method) => {
      const { port, request } = await strictReceiver()

      await call({ url: url(port), method, headers: {}, deadlineMs: 5_000, answerBytesMax: 100 }, loopback)
      expect(await request).toMatchObject({ body: '', left: '' })
    },
  )

  test('is framed by nothing that a caller gives', async () => {
    const { port, request } = await strictReceiver()
    const headers = { 'Content-Length': '0', 'Transfer-Encoding': 'chunked', Trailer: 'x-a' }

    expect(await post(url(port), { method: 'DELETE', headers })).toMatchObject({ kind: 'answer' })
    expect(await request).toMatchObject({ body: '{}', left: '' })
  })
})

describe('over TLS', () => {
  const authority = certificate('Test authority')
  const defaults = getCACertificates('default')
  beforeAll(() => setDefaultCACertificates([...defaults, authority.cert]))
  afterAll(() => setDefaultCACertificates(defaults))

  const answer = says('HTTP/1.1 200 OK', 'Content-Length: 0', '', '')
  const host = 'receiver.example.com'

  test('a valid certificate is accepted', async () => {
    const { port } = await receiver(answer, certificate(host, { by: authority }))

    expect(await post(`https://${host}:${port}/`)).toMatchObject({ kind: 'answer', status: 200 })
  })

  test.each([
    ['an expired certificate', certificate(host, { by: authority, expired: true })],
    ['a self-signed certificate', certificate(host)],
    ['a certificate for another host', certificate('other.example.com', { by: authority })],
  ])('%s is refused before the request is sent', async (_, offered) => {
    const { port, requests } = await receiver(answer, offered)

    expect(await post(`https://${host}:${port}/`)).toMatchObject({ kind: 'not_sent', error_class: 'tls_error' })
    expect(requests).toEqual([])
  })

  test('a peer that speaks no TLS receives nothing', async () => {
    const { port, requests } = await receiver(answer)

    expect(await post(`https://${host}:${port}/`, { deadlineMs: 300 })).toMatchObject({ kind: 'not_sent' })
    expect(requests.join()).not.toContain('POST')
  })
})
