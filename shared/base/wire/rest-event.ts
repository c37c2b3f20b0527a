// Reads a REST API event (payload format 1.0): lower-case header names, no repeated parameters, raw body bytes, the address of the caller,
// the ids of the request, and the media types that the client prefers.
import { malformed } from '../lib/failure.ts'
import { currentTrace, newTraceId, traceIdOf } from '../lib/trace.ts'
import type { RequestIds } from '../context.ts'
import type { Follow } from './call.ts'
import { listedIn, readMediaType } from './media-type.ts'
import { valuesSent } from './values-sent.ts'

/** The members of API Gateway's event that the service reads. */
export type RestEvent = {
  httpMethod: string
  path: string
  resource: string
  headers?: Record<string, string | undefined> | null
  multiValueHeaders?: Record<string, string[] | undefined> | null
  multiValueQueryStringParameters?: Record<string, string[] | undefined> | null
  pathParameters?: Record<string, string | undefined> | null
  body?: string | null
  isBase64Encoded?: boolean
  requestContext: { identity?: { sourceIp?: string }; requestId?: string }
}

export type RestResponse = {
  statusCode: number
  headers: Record<string, string>
  /** Headers with several values: cookies. */
  multiValueHeaders?: Record<string, string[]>
  body: string
  isBase64Encoded?: boolean
  /** Set on streamed answers. It is not sent to API Gateway. */
  follow?: Follow
}

/** Lower-case names; a repeated header is joined with a comma, as HTTP allows. */
export type Headers = Record<string, string>

const SINGLE = new Set(['idempotency-key', 'if-match', 'content-type'])
const CORRELATION = /^[A-Za-z0-9._:-]{8,128}$/

export function readHeaders(event: RestEvent): Headers {
  const headers: Headers = {}
  for (const [name, values = []] of Object.entries(event.multiValueHeaders ?? {})) {
    const lower = name.toLowerCase()
    headers[lower] = lower in headers ? `${headers[lower]}, ${values.join(', ')}` : values.join(', ')
  }
  return headers
}

/** How many values a header has, counting every spelling of its name. */
export const timesSent = ({ multiValueHeaders }: RestEvent, name: string): number =>
  valuesSent(multiValueHeaders, name).length

export function mustNotRepeatHeaders(event: RestEvent): void {
  for (const name of SINGLE) {
    if (timesSent(event, name) > 1) throw malformed(`You sent the header ${name} more than once. Send it once.`)
  }
}

export function readQuery(event: RestEvent): Record<string, string> {
  const query: [string, string][] = []
  for (const [name, values = []] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    if (values.length > 1) throw malformed('You sent a query parameter more than once. Send each parameter once.')
    query.push([name, values[0] ?? ''])
  }
  return Object.fromEntries(query)
}

export const readBody = (event: RestEvent): Buffer =>
  Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')

/**
 * The caller's address: the peer of the gateway. Behind trusted proxies it is the address that the first of them saw.
 * Earlier entries of `X-Forwarded-For` are ignored, because any client can forge them.
 */
export function readIp({ requestContext }: RestEvent, headers: Headers): string {
  const peer = requestContext.identity?.sourceIp ?? ''
  const hops = Number(process.env.TRUSTED_PROXY_HOPS ?? 0)
  if (hops === 0) return peer
  const seen = (headers['x-forwarded-for'] ?? '').split(',').map((address) => address.trim())
  return seen.at(-1 - hops) || peer // the gateway appends its own peer
}

/** The trace id of a valid `traceparent`, else of the invocation, else a new one. */
export const readTrace = ({ multiValueHeaders }: RestEvent): string =>
  traceIdOf(valuesSent(multiValueHeaders, 'traceparent').join(', ')) ?? currentTrace() ?? newTraceId()

/**
 * `request_id` is never taken from the client. The trace id comes from a valid `traceparent`, else from the work at hand, which
 * begins with `readTrace`, else it is new. The correlation id comes from `X-Correlation-Id` or `X-Request-Id` if well-formed.
 */
export function readIds(headers: Headers, request_id: string): RequestIds {
  const trace_id = traceIdOf(headers.traceparent) ?? currentTrace() ?? newTraceId()
  const correlation_id = [headers['x-correlation-id'], headers['x-request-id']].find(
    (id) => id !== undefined && CORRELATION.test(id),
  )
  return { request_id, trace_id, correlation_id }
}

/** How much a client wants a media type (RFC 9110, section 12.5.1): from 0 (not acceptable) to 1, by the most specific range that names it. */
export function qualityOf(accept: string, type: string): number {
  const ranges = [type, type.replace(/\/.*/, '/*'), '*/*']
  const known = listedIn(accept).flatMap((one) => readRange(one) ?? [])
  const found = ranges.map((range) => known.find(({ name }) => name === range)).find((one) => one !== undefined)
  return found?.quality ?? 0
}

/** Undefined for what is no range of media types: it wants nothing. */
function readRange(text: string): { name: string; quality: number } | undefined {
  const range = readMediaType(text)
  const given = range?.parameters.get('q')
  return range && { name: range.type, quality: given === undefined ? 1 : readQuality(given) }
}

const readQuality = (text: string): number => (/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0)

export const PROBLEM_JSON = 'application/problem+json'

/** True for a client that names problem details (RFC 9457) and does not prefer plain JSON. */
export function wantsProblem(accept = ''): boolean {
  if (!accept.toLowerCase().includes(PROBLEM_JSON)) return false // a range such as `*/*` names nothing
  const quality = qualityOf(accept, PROBLEM_JSON)
  return quality > 0 && quality >= qualityOf(accept, 'application/json')
}
