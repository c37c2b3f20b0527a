// Stand-in for one REST API: a loopback HTTP server that matches routes, calls their functions with API Gateway's event and
// refuses the same requests as API Gateway.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Route } from '../../shared/base/wire/route.ts'
import { compresses } from '../openapi/openapi.ts'
import { UNMATCHED } from '../surface.ts'
import { denied } from './authorizer.ts'
import type { Clock } from './clock.ts'
import { refuse, sendAnswer, takesGzip } from './gateway-answer.ts'
import { type RestEvent, restEvent, splitUrl } from './gateway-event.ts'
import { type FunctionRow, type Invoke, TaskTimedOut } from './lambda.ts'
import { type FindRoute, routeTree } from './route-tree.ts'
import type { InvokeStream } from './streaming.ts'
import type { Turns } from './turns.ts'

type Service = {
  invoke: Invoke
  /** Only needed with routes that stream. */
  stream?: InvokeStream
  clock: Clock
  /** Limits concurrent requests; without it there is no limit. */
  turns?: Turns | undefined
  onError: (error: unknown) => void
}

export type Gateway = {
  url: string
  port: number
  /** Until this is called, requests wait. */
  serve: (api: Service & { routes: readonly Route[] }) => void
  /** Waits for running requests, at most five seconds. */
  close: () => Promise<void>
}

const BODY_BYTES_MAX = 10_485_760
const CLOSE_MS = 5_000
/** API Gateway refuses these in a query string unless they are percent-encoded. */
const UNSAFE_QUERY = /\?.*[|{}]/

/** The function for requests that no route matches. */
const FALLBACK: FunctionRow = { ...UNMATCHED, file: 'functions/unmatched.ts' }

/** Port 0 takes a free one. Rejects with EADDRINUSE when the port is taken. */
export async function openGateway(port: number): Promise<Gateway> {
  const ready = Promise.withResolvers<(request: IncomingMessage, response: ServerResponse) => Promise<void>>()
  const server = createServer((request, response) => {
    void ready.promise.then((answer) => answer(request, response))
  })
  // Limits how long a slow client can hold a request. A connection that is closed just as a starved client uses it again fails.
  Object.assign(server, { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 60_000 })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const streams = new Set<ServerResponse>()
  const address = server.address() as AddressInfo // a TCP server always has one
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    serve: ({ routes, ...service }) => {
      const api: Api = { find: routeTree(routes), compresses: compresses(routes), streams, ...service }
      ready.resolve((request, response) => handle(request, response, api))
    },
    close: () => {
      for (const stream of streams) stream.destroy() // their readers reconnect
      return close(server)
    },
  }
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const idle = setInterval(() => server.closeIdleConnections(), 10) // closes each connection after its last request
  const end = setTimeout(() => server.closeAllConnections(), CLOSE_MS)
  await closed
  clearInterval(idle)
  clearTimeout(end)
}

type Api = Service & { find: FindRoute; compresses: boolean; streams: Set<ServerResponse> }

async function handle(request: IncomingMessage, response: ServerResponse, api: Api): Promise<void> {
  const requestId = randomUUID()
  try {
    const body = await readBody(request)
    if (!body) return refuse(response, 'REQUEST_TOO_LARGE', requestId)
    if (UNSAFE_QUERY.test(request.url ?? '')) return refuse(response, 'BAD_REQUEST_PARAMETERS', requestId)
    const match = api.find(request.method ?? 'GET', splitUrl(request.url ?? '/').path)
    const event = restEvent(request, body, match, api.clock.now())
    const row = match?.route
    const denial = row && (await denied(row, event, api.invoke))
    if (denial) return refuse(response, 'ACCESS_DENIED', requestId, denial)
    if (row?.stream) return await follow(row, event, response, api)
    const answer = await inTurn(row ?? FALLBACK, event, api)
    if (answer === TOO_MANY) return refuse(response, 'BUSY', requestId)
    const gzip = api.compresses && takesGzip(request.headers['accept-encoding'])
    if (!sendAnswer(response, answer, event.requestContext.requestId, gzip))
      throw new Error('malformed Lambda proxy response')
  } catch (error) {
    if (error instanceof URIError) return refuse(response, 'BAD_REQUEST_PARAMETERS', requestId)
    if (request.destroyed && !request.complete) return // the client went away
    api.onError(error)
    if (response.headersSent) return void response.destroy()
    refuse(response, error instanceof TaskTimedOut ? 'INTEGRATION_TIMEOUT' : 'DEFAULT_5XX', requestId)
  }
}

const TOO_MANY = Symbol('too many')

/** Runs a function when its turn comes. Cheap requests, such as health checks, do not wait. */
async function inTurn(row: FunctionRow & Partial<Route>, event: RestEvent, { turns, invoke }: Api): Promise<unknown> {
  if (!turns || row.rate === 'none') return invoke(row, event)
  if (!(await turns.take())) return TOO_MANY
  return invoke(row, event).finally(() => turns.done())
}

async function follow(route: Route, event: RestEvent, response: ServerResponse, api: Api): Promise<void> {
  if (!api.stream) throw new Error('this gateway cannot stream')
  response.setHeader('x-amzn-RequestId', event.requestContext.requestId)
  api.streams.add(response)
  await api.stream(route, event, response).finally(() => api.streams.delete(response))
}

/** Undefined when the body is too large. The rest is read and dropped, so that the client receives the answer. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk)
  }
  return bytes <= BODY_BYTES_MAX ? Buffer.concat(chunks) : undefined
}
