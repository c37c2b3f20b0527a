import { describe, expect, test } from 'vitest'
import { routes } from '../../../functions/api.ts'
import { methodsOf as methodsAt } from '../../../shared/base/wire/head.ts'
import type { Host } from '../../../shared/base/wire/route.ts'
import { routes as ours } from '../../support/any-route.ts'
import { mustBeRefusal, mustHaveCommonHeaders } from '../../support/error-body.ts'
import { type Received, send, type Sent } from '../../support/http.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

/** Paths that pages of any origin may ask for have tests of their own. */
const open = new Set(routes.filter(({ preflight }) => preflight === 'any').map(({ path }) => path))
const methodsOf = Map.groupBy(
  ours.filter(({ path }) => !open.has(path)),
  ({ path }) => path,
)
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const concrete = (path: string) => path.replaceAll(/\{\w+\}/g, 'some-id')
const at = (path: string, sent: Sent, url = local.apiUrl) => send(url + path, sent)
const urlOf = (host: Host) => (host === 'app' ? local.appUrl : local.apiUrl)
const read = ({ status, headers, text }: Received) => ({ status, headers, body: text && JSON.parse(text) })

describe('an unknown path is answered 404:', () => {
  test.each([
    '/',
    '/nothing',
    '/api',
    '/api/v1/protocol/manifest//',
    '//api/health',
    '/api/health/live/more',
    '/API/HEALTH',
    '/api/webhooks/a/b/c',
  ])('the unknown path %s is not found, without a credential being asked for', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const reply = read(await at(path, { method }))

      expect(reply).toMatchObject({
        status: 404,
        body: { detail: 'No endpoint has this path. Check the URL.', code: 'not_found' },
      })
      mustBeRefusal(reply)
      mustHaveCommonHeaders(reply)
    }
  })

  test('a path of the other host is unknown on this one', async () => {
    const served = new Set(routes.map(({ host, path }) => `${host} ${path}`))
    for (const { host, path } of routes.filter((route) => route.host !== 'both')) {
      const other = host === 'app' ? 'api' : 'app'
      if (served.has(`${other} ${path}`)) continue
      const elsewhere = urlOf(other)
      expect((await at(concrete(path), { method: 'GET' }, elsewhere)).status, path).toBe(404)
    }
  })
})

describe.each([...methodsOf])('%s', (path, rows) => {
  const allowed: string[] = methodsAt(rows)
  const ask = (sent: Sent) => at(concrete(path), sent, urlOf(rows[0]?.host ?? 'api'))

  test('another method of a known path is answered 405 with the list of methods', async () => {
    const others = [...METHODS.filter((method) => !allowed.includes(method)), 'TRACE', 'PROPFIND']
    for (const method of others) {
      const reply = read(await ask({ method }))

      expect(reply).toMatchObject({
        status: 405,
        body: {
          detail: 'This path does not support the method. Use one of the Allow header.',
          code: 'method_not_allowed',
        },
      })
      expect(reply.headers.allow?.split(', ').toSorted()).toEqual(allowed.toSorted())
      mustBeRefusal(reply)
      mustHaveCommonHeaders(reply)
    }
  })

  test('OPTIONS: a listed origin learns what it may send, without a credential', async () => {
    const { status, headers, text } = await ask({ method: 'OPTIONS', headers: { origin: local.appUrl } })

    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect(headers).toMatchObject({
      'access-control-allow-origin': local.appUrl,
      'access-control-max-age': '600',
      vary: 'Origin',
    })
    expect(headers['access-control-allow-methods']?.split(', ').toSorted()).toEqual(allowed.toSorted())
    expect(headers['access-control-allow-headers']?.toLowerCase()).not.toContain('x-api-key')
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    mustHaveCommonHeaders({ status, headers, body: undefined })
  })

  test('OPTIONS: an unlisted origin gets no CORS header and no error', async () => {
    for (const origin of ['https://evil.example', 'null', `${local.appUrl}.evil.example`]) {
      const { status, headers } = await ask({ method: 'OPTIONS', headers: { origin } })

      expect(status).toBe(204)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })
})

test('every response to a listed origin, errors included, lists the headers that its scripts may read', async () => {
  for (const [path, status] of [
    ['/api/health/live', 200],
    ['/api/webhooks', 401],
    ['/nothing', 404],
  ] as const) {
    const reply = await at(path, { method: 'GET', headers: { origin: local.appUrl } })

    expect(reply.status).toBe(status)
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': local.appUrl,
      vary: status < 400 ? 'Origin' : 'Origin, Accept',
    })
    for (const name of [
      'X-Request-Id',
      'X-RateLimit-Remaining',
      'Retry-After',
      'ETag',
      'Location',
      'Idempotent-Replayed',
      'Link',
      'RateLimit',
    ]) {
      expect(reply.headers['access-control-expose-headers']?.split(', ')).toContain(name)
    }
    const unlisted = await at(path, { method: 'GET', headers: { origin: 'https://evil.example' } })
    expect(unlisted.status).toBe(status)
    expect(unlisted.headers).not.toHaveProperty('access-control-allow-origin')
  }
})
