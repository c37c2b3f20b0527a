// `npm run listen -- [--types action.*,policy.updated] [--url <application url>] [--key <key>]`: a webhook receiver on this
// machine. It registers itself with the local service, verifies and prints each delivery, and unregisters on Ctrl-C.
// Without flags: all events, with the service and live key from the data directory of `npm start`.
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { systemClock } from '../shared/base/lib/clock.ts'
import {
  expandTypes,
  type Received,
  verifyServiceSignature,
  verifyStandardWebhook,
  verifyWebhookSignature,
} from '../shared/deliver/webhooks/verify.ts'

type Service = { url: string; key: string }
type Endpoint = { id: string; secret: string }

const SCHEMES = {
  'X-Webhook-Signature': verifyWebhookSignature,
  'X-Service-Signature': verifyServiceSignature,
  'webhook-signature': verifyStandardWebhook,
}

const { values: flags } = parseArgs({
  options: { types: { type: 'string', default: '*' }, url: { type: 'string' }, key: { type: 'string' } },
})

function findService(): Service {
  if (flags.url !== undefined && flags.key !== undefined) return { url: flags.url, key: flags.key }
  const file = join(process.env.COUNTERSIGN_DATA_DIR ?? '.countersign', 'credentials.json')
  const { app_url, live_key }: { app_url: string; live_key: string } = JSON.parse(readFileSync(file, 'utf8'))
  return { url: flags.url ?? app_url, key: flags.key ?? live_key }
}

async function call({ url, key }: Service, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${answer}`)
  return answer && JSON.parse(answer)
}

/** 204 when every signature is valid, otherwise 401, after which the service retries. */
async function receive(request: IncomingMessage, secret: string): Promise<number> {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const delivery: Received = { headers, body: await text(request) }
  const now = systemClock.now() / 1_000
  const wrong = Object.entries(SCHEMES).filter(([, verify]) => !verify(delivery, secret, now))
  const title = `${headers['x-webhook-event']}  ${headers['webhook-id']}  attempt ${headers['x-webhook-attempt']}`
  if (wrong.length > 0) {
    console.error(`${title}  REFUSED: ${wrong.map(([name]) => name).join(', ')}`)
    return 401
  }
  const { data }: { data: object } = JSON.parse(delivery.body)
  console.log(`${title}  verified\n${JSON.stringify(data, null, 2)}\n`)
  return 204
}

async function listen(service: Service, events: string[]): Promise<void> {
  const registered = Promise.withResolvers<Endpoint>()
  const server = createServer(async (request, response) => {
    const { secret } = await registered.promise // the first event may arrive before the answer with the secret
    response.writeHead(await receive(request, secret).catch(() => 400)).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server always has one
  const url = `http://127.0.0.1:${port}/`
  const endpoint = (await call(service, 'POST', '/api/webhooks', { name: 'npm run listen', url, events })) as Endpoint
  registered.resolve(endpoint)
  const stop = async () => {
    await call(service, 'DELETE', `/api/webhooks/${endpoint.id}`)
    process.exit(0)
  }
  let stopping: Promise<void> | undefined // a Ctrl-C arrives twice: from the terminal and from npm
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (stopping ??= stop().catch(fail)))
  console.log(`Endpoint ${endpoint.id} listens on ${url} for ${events.join(', ')}. Ctrl-C removes it.\n`)
}

function fail(error: unknown): void {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  console.error(`${message}${cause instanceof Error ? ` (${cause.message})` : ''}`)
  console.error('Does the service run (npm start)? Otherwise name it with --url and --key.')
  process.exit(1)
}

try {
  await listen(findService(), expandTypes(flags.types.split(',')))
} catch (error) {
  fail(error)
}
