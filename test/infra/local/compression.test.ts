// The gateway compresses what browsers load, as API Gateway does with a minimum compression size.
import { afterEach, expect, test } from 'vitest'
import { takesGzip } from '../../../infra/local/gateway-answer.ts'
import { type Gateway, openGateway } from '../../../infra/local/gateway.ts'
import { area, type Host, read } from '../../../shared/base/wire/route.ts'
import { testClock } from '../../support/test-clock.ts'

let gateway: Gateway | undefined
afterEach(() => gateway?.close())

/** What a host answers with this body to a client that takes these encodings. */
async function answered(host: Host, body: string, encoding = 'gzip, br') {
  const routes = Object.values(
    area('pages', { show: read('/page', { host, access: 'public', rate: 'none', uses: [], summary: '' }) }),
  )
  gateway = await openGateway(0)
  gateway.serve({
    routes,
    invoke: async () => ({ statusCode: 200, body }),
    clock: testClock(),
    onError: () => undefined,
  })
  const response = await fetch(`${gateway.url}/page`, { headers: { 'Accept-Encoding': encoding } })
  return { encoded: response.headers.get('content-encoding'), text: await response.text() }
}

const LONG = 'a page '.repeat(200)

test('a page of the application host is compressed for who takes gzip', async () => {
  expect(await answered('app', LONG)).toEqual({ encoded: 'gzip', text: LONG })
})

test.each([
  ['app', LONG, 'br'],
  ['app', 'short', 'gzip'],
  ['api', LONG, 'gzip'],
] as const)('on the host %s, %.8s for %s is sent as it is', async (host, body, encoding) => {
  expect(await answered(host, body, encoding)).toEqual({ encoded: null, text: body })
})

test.each([
  ['gzip', true],
  ['br, gzip;q=0.5', true],
  ['gzip;q=0', false],
  ['gzip; q=0.0, br', false],
  ['br', false],
])('%j takes gzip: %j', (accept, takes) => {
  expect(takesGzip(accept)).toBe(takes)
})
