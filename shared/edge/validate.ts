// Layer 1: checks everything that a client sends against the route's shapes, before any other code reads it.
import { Failure, malformed, notFound } from '../base/lib/failure.ts'
import type { Call, Layer, Shapes } from '../base/wire/call.ts'
import { BODY_BYTES_DEFAULT, parseBody } from '../base/wire/parse-body.ts'
import { namedVersion } from '../base/wire/etag.ts'
import { ID } from '../base/wire/fields.ts'
import { parseForm } from '../base/wire/form.ts'
import { readBody, readQuery, mustNotRepeatHeaders } from '../base/wire/rest-event.ts'
import type { Route } from '../base/wire/route.ts'
import { keyOfCall } from './mcp-call.ts'
import { refuseBody, refuseQuery, mustNameKnownParameters } from './violations.ts'

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

export const validate = (route: Route, shapes: Shapes): Layer => ({
  before: ({ event }) => {
    const { call } = event
    if (route.raw) call.bytes = bytesOf(route, readBody(event))
    else if (takesBody(route, shapes)) {
      const parse = route.form ? parseForm : parseBody
      call.sent = parse(readBody(event), call.headers, route.bodyBytesMax ?? BODY_BYTES_DEFAULT)
    }
    for (const [name, value = ''] of Object.entries(event.pathParameters ?? {})) {
      if (!ID.test(value)) throw notFound(name === 'tenant_id' ? 'tenant' : (route.resource ?? 'resource'))
      call.params[name] = value
    }
    mustNotRepeatHeaders(event)
    const sent = readQuery(event)
    if (!takesAnyQuery(route)) mustNameKnownParameters(sent, shapes.query)
    const query = shapes.query?.safeParse(sent)
    if (query && !query.success) refuseQuery(query.error.issues)
    call.query = query?.data ?? {}
    const key = readIdempotencyKey(route, call)
    if (key) call.idempotencyKey = key
    const body = shapes.body?.safeParse(call.sent)
    if (body && !body.success) refuseBody(body.error.issues, call.sent)
    call.body = body?.data ?? {}
    if (shapes.versioned && route.method !== 'GET') call.version = namedVersion(call)
    else if (isChange(route) && namedVersion(call) !== undefined) {
      throw malformed('This operation does not support versions. Leave out If-Match.')
    }
  },
})

function bytesOf({ bodyBytesMax = BODY_BYTES_DEFAULT }: Route, bytes: Buffer): Buffer {
  if (bytes.length <= bodyBytesMax) return bytes
  throw new Failure('too_large', `The request body exceeds ${bodyBytesMax} bytes. Send a smaller one.`)
}

/** Changes in the service's own dialect. They refuse an unsupported If-Match, since ignoring it would look like success. */
const isChange = ({ method, dialect }: Route) =>
  dialect === undefined && (method === 'PUT' || method === 'PATCH' || method === 'DELETE')

/** Unknown parameters are refused, because an ignored filter would list everything. Links and other protocols are exempt. */
export const takesAnyQuery = ({ looseQuery, dialect, access }: Route): boolean =>
  looseQuery === true || dialect !== undefined || access === 'provider'

/** A DELETE has a body only where its shapes name one. */
const takesBody = ({ method }: Route, { body }: Shapes) =>
  method !== 'GET' && (method !== 'DELETE' || body !== undefined)

function readIdempotencyKey(route: Route, call: Call): string | undefined {
  const sent = route.dialect === 'mcp' ? keyOfCall(call) : call.headers['idempotency-key']
  if (sent === undefined || !takesIdempotencyKey(route)) return undefined
  const key = sent.replace(/^"(.*)"$/, '$1')
  if (!IDEMPOTENCY_KEY.test(key))
    throw malformed('The Idempotency-Key is not valid. Send 1 to 255 visible ASCII characters.')
  return key
}

/** POST and PATCH behind authentication, unless the row says otherwise. */
export const takesIdempotencyKey = (route: Route): boolean =>
  route.idempotency ??
  ((route.method === 'POST' || route.method === 'PATCH') && route.access !== 'public' && route.access !== 'provider')
