// Converts an HTTP request to API Gateway's REST event (payload format 1.0): header names as sent, repeated headers and
// parameters kept, path values decoded once, a body that is not UTF-8 as base64.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isUtf8 } from 'node:buffer'
import type { Match } from './route-tree.ts'

export type RestEvent = ReturnType<typeof restEvent>

/** `match` is undefined for an unknown path. Throws URIError when a path value is not valid percent-encoding. */
export function restEvent(request: IncomingMessage, body: Buffer, match: Match | undefined, now: number) {
  const { path, query } = splitUrl(request.url ?? '/')
  const sourceIp = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const headers = headersOf(request, sourceIp)
  const parameters = valuesOf([...query])
  const resource = match?.path ?? '/{proxy+}'
  return {
    resource,
    path,
    httpMethod: request.method ?? 'GET',
    headers: lastOf(headers),
    multiValueHeaders: headers,
    queryStringParameters: parameters && lastOf(parameters),
    multiValueQueryStringParameters: parameters,
    pathParameters: match ? decoded(match.values) : { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: contextOf(request, { path, resource, sourceIp, now }),
    body: body.length === 0 ? null : isUtf8(body) ? body.toString('utf8') : body.toString('base64'),
    isBase64Encoded: !isUtf8(body),
  }
}

/** Path and query of a request target, also of the absolute form that proxies send. */
export function splitUrl(target: string): { path: string; query: URLSearchParams } {
  const relative = target.replace(/^https?:\/\/[^/]*/i, '')
  const cut = relative.indexOf('?')
  if (cut === -1) return { path: relative || '/', query: new URLSearchParams() }
  return { path: relative.slice(0, cut) || '/', query: new URLSearchParams(relative.slice(cut + 1)) }
}

function headersOf({ rawHeaders }: IncomingMessage, sourceIp: string): Record<string, string[]> {
  const pairs = rawHeaders.flatMap((name, at): [string, string][] => {
    return at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []
  })
  const headers = valuesOf(pairs) ?? {}
  const forwarded = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'x-forwarded-for')
  for (const [name] of forwarded) delete headers[name]
  return { ...headers, 'X-Forwarded-For': [[...forwarded.flatMap(([, values]) => values), sourceIp].join(', ')] }
}

/** null when there are none, as API Gateway sends it. */
function valuesOf(pairs: [string, string][]): Record<string, string[]> | null {
  const values: Record<string, string[]> = Object.create(null)
  for (const [name, value] of pairs) (values[name] ??= []).push(value)
  return pairs.length === 0 ? null : values
}

const lastOf = (values: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']))

function decoded(values: Record<string, string>): Record<string, string> | null {
  const entries = Object.entries(values).map(([name, value]) => [name, decodeURIComponent(value)])
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

type Place = { path: string; resource: string; sourceIp: string; now: number }

function contextOf(request: IncomingMessage, { path, resource, sourceIp, now }: Place) {
  const requestId = randomUUID()
  return {
    accountId: '000000000000',
    apiId: 'local',
    stage: 'live',
    protocol: `HTTP/${request.httpVersion}`,
    httpMethod: request.method ?? 'GET',
    path,
    resourcePath: resource,
    domainName: request.headers.host ?? 'localhost',
    requestId,
    extendedRequestId: requestId,
    requestTimeEpoch: now,
    identity: { sourceIp, userAgent: request.headers['user-agent'] ?? null },
  }
}
