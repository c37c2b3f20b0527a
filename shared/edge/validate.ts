// Layer 1: checks everything that a client sends by the route's shapes, before any other code reads it. zod's issues become the error
// bodies of the API specification: missing fields are a 400, broken rules a 422.
import { Failure, malformed, notFound, type Violation } from '../base/lib/failure.ts'
import type { Call, Layer, Shapes } from '../base/wire/call.ts'
import { BODY_BYTES_DEFAULT, parseBody, parseForm } from '../base/wire/parse-body.ts'
import { namedVersion } from '../base/wire/etag.ts'
import { ID } from '../base/wire/fields.ts'
import { mustNotRepeatHeaders, readBody, readQuery } from '../base/wire/rest-event.ts'
import type { Route } from '../base/wire/route.ts'
import { keyOfCall } from './mcp-call.ts'
import type * as z from 'zod'

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
    const body = (shapes.bodyNamed?.(call.sent) ?? shapes.body)?.safeParse(call.sent)
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

type Issue = z.core.$ZodIssue
const VIOLATIONS_MAX = 50

/** Throws the failure that lists what is wrong with a body. */
export function refuseBody(issues: readonly Issue[], sent: unknown): never {
  const violations = issues.flatMap((issue) => violationsOf(issue, sent))
  const missing = violations.filter(({ type }) => type === 'missing').slice(0, VIOLATIONS_MAX)
  if (missing.length === 0) throw new Failure('invalid', inDocumentOrder(violations.slice(0, VIOLATIONS_MAX), sent))
  const names = missing.map(({ loc }) => loc.slice(1).join('.'))
  throw malformed(`You left out required fields: ${names.join(', ')}. Send them.`, {
    code: 'missing_field',
    errors: missing,
  })
}

export function refuseQuery(issues: readonly Issue[]): never {
  const names = [...new Set(issues.map((issue) => String(issue.path[0] ?? '')))]
  throw malformed(`These query parameters are not valid: ${names.join(', ')}. Correct or remove them.`)
}

/** Throws 422 for a parameter that the query of a route does not name. */
function mustNameKnownParameters(sent: object, query?: z.ZodObject): void {
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(query?.shape ?? {}, name))
  if (unknown.length === 0) return
  const violation = (name: string): Violation => ({
    loc: ['query', name],
    msg: 'unknown parameter',
    type: 'extra_forbidden',
  })
  throw new Failure('invalid', unknown.slice(0, VIOLATIONS_MAX).map(violation))
}

function violationsOf(issue: Issue, sent: unknown): Violation[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  const loc = ['body', ...path]
  const expected = expectedType(issue)
  // zod reports an absent enum, literal or union as a wrong value. A custom rule may be about an absent value.
  const isMissing = valueAt(sent, path) === undefined && (issue.code !== 'custom' || expected !== undefined)
  if (isMissing) return [{ loc, msg: 'field required', type: 'missing' }]
  if (issue.code === 'invalid_union') return unionViolations(issue, sent)
  if (issue.code === 'unrecognized_keys') {
    const msg = issue.message.startsWith('Unrecognized') ? 'unknown field' : messageOf(issue) // a shape may know better
    return issue.keys.map((name) => ({ loc: [...loc, name], msg, type: 'extra_forbidden' }))
  }
  if (expected === undefined) return [{ loc, msg: messageOf(issue), type: 'value_error' }]
  return [{ loc, msg: `must be ${article(expected)}`, type: 'type_error' }]
}

/** The expected type, from zod's issue or from that of `freeForm`. */
function expectedType(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type') return issue.expected
  const wanted: unknown = issue.code === 'custom' ? issue.params?.expected : undefined
  return typeof wanted === 'string' ? wanted : undefined
}

/** The violations of the closest alternative: of the right type, and among those the one that misses least, then breaks fewest rules. */
function unionViolations(issue: Issue & { code: 'invalid_union' }, sent: unknown): Violation[] {
  const isOtherType = (found: Issue[]) => found.some(({ code, path }) => code === 'invalid_type' && path.length === 0)
  const missing = (found: Issue[]) =>
    found.filter(({ path }) => valueAt(sent, [...issue.path, ...path] as string[]) === undefined).length
  const ofType = issue.errors.filter((found) => !isOtherType(found))
  const [closest = []] = (ofType.length > 0 ? ofType : issue.errors).toSorted(
    (a, b) => missing(a) - missing(b) || a.length - b.length,
  )
  if (closest.length === 0)
    return [{ loc: ['body', ...(issue.path as string[])], msg: messageOf(issue), type: 'value_error' }]
  return closest.flatMap((inner) => violationsOf({ ...inner, path: [...issue.path, ...inner.path] }, sent))
}

/** zod's messages in lower case, like ours. They name the rule, never the received value. */
const messageOf = (issue: Issue) => issue.message.charAt(0).toLowerCase() + issue.message.slice(1)

const TYPE_NAMES: Record<string, string> = { int: 'integer', record: 'object' }

function article(type: string): string {
  const name = TYPE_NAMES[type] ?? type
  return /^[aeio]/.test(name) ? `an ${name}` : `a ${name}`
}

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string | number, unknown>)[part]
  }
  return value
}

const inDocumentOrder = (violations: Violation[], sent: unknown): Violation[] =>
  violations
    .map((violation) => ({ violation, at: positionOf(sent, violation.loc.slice(1)) }))
    .toSorted((a, b) => compare(a.at, b.at))
    .map(({ violation }) => violation)

/** For each level of the path, the index of the member in the sent value. */
const positionOf = (sent: unknown, path: readonly (string | number)[]): number[] =>
  path.map((part, level) =>
    typeof part === 'number' ? part : Object.keys(valueAt(sent, path.slice(0, level)) ?? {}).indexOf(part),
  )

function compare(a: readonly number[], b: readonly number[]): number {
  const level = a.findIndex((index, at) => index !== b[at])
  return level < 0 ? a.length - b.length : (a[level] ?? 0) - (b[level] ?? -1)
}
