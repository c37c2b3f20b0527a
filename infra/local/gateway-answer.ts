// Writes answers of functions and refusals of the gateway as HTTP responses with the headers of AWS.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { BUSY, GATEWAY_RESPONSES } from '../gateway-responses.ts'
import { COMPRESSED_FROM_BYTES } from '../openapi/openapi.ts'

type Values = Record<string, string | number | boolean>
type LambdaAnswer = {
  statusCode: number
  headers?: Values
  multiValueHeaders?: Record<string, (string | number | boolean)[]>
  body?: string
  isBase64Encoded?: boolean
}

/** REST APIs rename these headers of a function's answer (API Gateway developer guide, "important notes"). */
const REMAPPED = new Set(['authorization', 'connection', 'date', 'server', 'www-authenticate'])

/** False when API Gateway would not accept the value and answer 502. */
export function sendAnswer(response: ServerResponse, value: unknown, requestId: string, compress = false): boolean {
  if (!isAnswer(value)) return false
  response.setHeader('x-amzn-RequestId', requestId)
  writeHead(response, value)
  const body = Buffer.from(value.body ?? '', value.isBase64Encoded ? 'base64' : 'utf8')
  const sent = compress ? compressed(response, body) : body
  // A HEAD has the length of its GET.
  if (response.req.method === 'HEAD' && sent.length > 0) response.setHeader('Content-Length', sent.length)
  response.end(sent)
  return true
}

/** Bodies of some length, as API Gateway compresses them. */
function compressed(response: ServerResponse, body: Buffer): Buffer {
  if (body.length < COMPRESSED_FROM_BYTES || response.hasHeader('content-encoding')) return body
  response.setHeader('content-encoding', 'gzip')
  return gzipSync(body)
}

/** Whether a client takes gzip; `q=0` refuses it. */
export const takesGzip = (accept: string | string[] = ''): boolean =>
  /\bgzip\b(?!;\s*q=0(?:\.0*)?(?:,|$))/.test(String(accept))

export type Head = Pick<LambdaAnswer, 'statusCode' | 'headers' | 'multiValueHeaders'>

/** Status and headers of a function's answer, as API Gateway passes them on. */
export function writeHead(response: ServerResponse, { statusCode, headers, multiValueHeaders }: Head): void {
  response.statusCode = statusCode
  const single = Object.entries({ 'content-type': 'application/json', ...lowerCase(headers) })
  const repeated = Object.entries(lowerCase(multiValueHeaders))
  for (const [name, content] of [...single, ...repeated]) {
    response.setHeader(REMAPPED.has(name) ? `x-amzn-Remapped-${name}` : name, [content].flat().map(String))
  }
}

const lowerCase = <T>(headers: Record<string, T> = {}): Record<string, T> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const MEMBERS = new Set(['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'])

/** The body must be text. API Gateway refuses an answer with an unknown member. */
function isAnswer(value: unknown): value is LambdaAnswer {
  if (typeof value !== 'object' || value === null) return false
  const { statusCode, body } = value as Partial<LambdaAnswer>
  const text = body === undefined || typeof body === 'string'
  return Number.isInteger(statusCode) && text && Object.keys(value).every((name) => MEMBERS.has(name))
}

/** Default statuses of gateway responses. */
const STATUS: Record<string, number> = { DEFAULT_4XX: 400, DEFAULT_5XX: 502 }

type GatewayResponse = {
  statusCode?: number
  responseParameters: Record<string, string>
  responseTemplates: { 'application/json': string }
}

/** Writes a gateway response with the texts that the stacks deploy. `more`: what its `$context` has beside the ids. */
export function refuse(
  response: ServerResponse,
  type: string,
  requestId: string,
  more: Record<string, string> = {},
): void {
  const known = type === 'BUSY' ? BUSY : GATEWAY_RESPONSES[type]
  const { statusCode, responseParameters, responseTemplates } = known as GatewayResponse
  const trace = randomBytes(16).toString('hex')
  const xrayTraceId = `1-${trace.slice(0, 8)}-${trace.slice(8)}`
  const context: Record<string, string> = { ...more, requestId, xrayTraceId }
  response.statusCode = statusCode ?? STATUS[type] ?? 500
  for (const [name, mapping] of Object.entries(responseParameters)) {
    const value = mapped(mapping, response.req, context)
    if (value !== undefined) response.setHeader(name.replace('gatewayresponse.header.', ''), value)
  }
  response.setHeader('x-amzn-RequestId', requestId)
  response.removeHeader('Strict-Transport-Security') // the local service has no TLS
  response.setHeader('Content-Type', 'application/json')
  const text = responseTemplates['application/json']
  response.end(text.replace(/\$context\.(\w+)/g, (_, name: string) => context[name] ?? ''))
}

/** The value of a mapping: a text in quotes, a header of the request, or a member of the context. */
function mapped(mapping: string, { headers }: IncomingMessage, context: Record<string, string>) {
  const [, fixed] = /^'(.*)'$/.exec(mapping) ?? []
  const [, header] = /^method\.request\.header\.(.+)$/.exec(mapping) ?? []
  return header ? headers[header.toLowerCase()] : (fixed ?? context[mapping.replace('context.', '')])
}
