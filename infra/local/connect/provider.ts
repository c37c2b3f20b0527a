// A stand-in for the providers of the catalogue that have no client: their consent page, their token endpoint with its quirks, and
// their API. The service reaches it like any provider, over HTTP.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { CATALOGUE } from '../../../shared/deliver/integrations/catalogue/catalogue.ts'
import type { Clock } from '../clock.ts'
import { type Disk, keptSecret } from '../disk.ts'
import { apiReply, type ExampleAccount } from './api.ts'
import { RECORDS } from './records.ts'
import { consentPage, decided, LOCAL_CLIENT, type Reply, tokenReply } from './oauth.ts'
import { createPayments, type Payments } from '../payments/provider.ts'
import { Tokens } from './tokens.ts'

/** Every so many calls of the API one is too many. */
const LIMITED_EVERY = 50

export type ConnectProvider = {
  url: string
  /** The clients of this service at the provider, as the operator's secret names them. */
  clients: Record<string, { client_id: string; client_secret: string; origin: string }>
  /** Ends all tokens of a connector's authorisation, as a person would at the provider. */
  revoke: (token: string) => void
  calls: () => readonly string[]
  /** What its lists hold; tests change it. */
  account: ExampleAccount
  payments: Payments
  close: () => Promise<void>
}

export async function startConnectProvider(disk: Disk, clock: Clock, port = 0): Promise<ConnectProvider> {
  const { secret } = keptSecret(disk, 'connect-provider.json', () => ({
    secret: crypto.randomUUID() + crypto.randomUUID(),
  }))
  const tokens = new Tokens(Buffer.from(secret), () => clock.now())
  const calls: string[] = []
  const payments = createPayments(disk, clock)
  const account: ExampleAccount = { size: RECORDS, changed: new Set() }
  const server = createServer((request, response) => {
    void answer(request, { tokens, calls, account, payments }).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.writeHead(400).end(),
    )
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  const { port: taken } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${taken}`
  return {
    url,
    clients: Object.fromEntries(CATALOGUE.map(({ id }) => [id, { ...LOCAL_CLIENT, origin: `${url}/${id}` }])),
    revoke: (token) => tokens.revoke(token),
    calls: () => calls,
    account,
    payments,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Behind = { tokens: Tokens; calls: string[]; account: ExampleAccount; payments: Payments }

const plain = (status: number): Reply => ({ status, body: '' })

async function answer(request: IncomingMessage, { tokens, calls, account, payments }: Behind): Promise<Reply> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
  const key = request.headers['idempotency-key']
  const idempotencyKey = typeof key === 'string' ? key : undefined
  const [, connector = '', place = '', ...rest] = url.pathname.split('/')
  const method = request.method ?? 'GET'
  const text = await textOf(request)
  calls.push(`${method} ${url.pathname}`)
  if (payments.handles(url.pathname)) return payments.answer({ method, path: url.pathname, url, text, idempotencyKey })
  const { authorization = '', 'content-type': contentType = '' } = request.headers
  if (place === 'authorize' && method === 'GET') return consentPage(connector, url.searchParams)
  if (place === 'authorize') return decided(connector, new URLSearchParams(text), tokens)
  if (place === 'token') return tokenReply({ connector, authorization, contentType, text }, tokens)
  if (place === 'revoke') {
    tokens.revoke(new URLSearchParams(text).get('token') ?? '')
    return plain(200)
  }
  const grant = tokens.read(authorization.replace(/^Bearer /, ''), 'access')
  if (grant?.connector !== connector)
    return { ...plain(401), headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }
  if (place === 'sites')
    return {
      status: 200,
      body: JSON.stringify([{ id: 'site-1', name: 'example', url: 'https://example.atlassian.net' }]),
    }
  const apiCalls = calls.filter((one) => one.includes(`/${connector}/api/`)).length
  if (apiCalls % LIMITED_EVERY === 0) return { ...plain(429), headers: { 'retry-after': '1' } }
  return apiReply({ connector, method, url, path: `/${rest.join('/')}`, text, account })
}
