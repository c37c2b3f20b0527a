// The outermost layer: only here a result or an error becomes a status, headers and a body, in the form that the client asked for or that
// the protocol of the route has.
import { type Context, currentRuntime, openTable } from '../base/context.ts'
import { asFailure, type Failure } from '../base/lib/failure.ts'
import { ulid } from '../base/lib/ids.ts'
import { alarm, info, warn } from '../base/lib/log.ts'
import { traceparentOf } from '../base/lib/trace.ts'
import { scimRefusal } from '../identity/scim/refusal.ts'
import { type Call, EarlyResponse, HttpResponse, type Layer } from '../base/wire/call.ts'
import { corsHeaders } from './cors.ts'
import { neverRefused, rateFields, takeFromAddress, tooMany } from './limit-rate.ts'
import {
  PROBLEM_JSON,
  readHeaders,
  readIds,
  readIp,
  type RestEvent,
  type RestResponse,
  wantsProblem,
} from '../base/wire/rest-event.ts'
import type { Route } from '../base/wire/route.ts'
import { NotJson } from '../base/wire/parse-body.ts'
import { challengeOf } from '../identity/oauth/resources.ts'

export const respond = (route: Route): Layer => ({
  before: ({ event }) => {
    event.call = openCall(event)
  },
  after: async (request) => {
    request.response = await render(route.id, request.event.call, request.response, route.success)
  },
  onError: async (request) => {
    const { event, response, error } = request
    const outcome =
      response ?? (error instanceof EarlyResponse ? error.answer : await refusal(route, event.call, error))
    request.response = await render(route.id, event.call, outcome, route.success)
  },
})

export function openCall(event: RestEvent): Call {
  const { clock, random } = currentRuntime()
  const headers = readHeaders(event)
  return {
    ids: readIds(headers, `req_${ulid(clock.now(), random)}`),
    ip: readIp(event, headers),
    userAgent: (headers['user-agent'] ?? '').slice(0, 256),
    at: clock.now(),
    headers,
    path: event.path,
    params: {},
    query: {},
    body: {},
    sent: {},
    beside: [],
  }
}

/** Requests refused before their credential was accepted count against their source address. */
async function refusal(route: Route, call: Call, error: unknown): Promise<HttpResponse> {
  let failure = asFailure(error)
  if (!call.ctx && route.rate !== 'none' && failure.status < 500) {
    call.rate = await takeFromAddress(openTable(), call.ip)
    const seconds = call.rate.verdict.retryAfterSeconds
    if (seconds) failure = tooMany(seconds)
  }
  const { status } = failure
  if (status >= 500) {
    alarm('request_failed', error, { route: route.id, status, ...call.ids })
    if (call.ctx) call.beside.push(countError(call.ctx))
  } else if (failure.options.internal) {
    warn('request_refused', failure.options.internal, { route: route.id, ...call.ids })
  }
  return route.pages ? pageOr(failure, call, route) : responseOf(failure, call, route.dialect)
}

/** Loaded with the first error. */
async function countError({ table, space }: Context): Promise<void> {
  const { tally } = await import('../base/limits/tally.ts')
  await tally(table, space, 'rb')
}

/** Loads the page only for the few routes that have pages. */
async function pageOr(failure: Failure, call: Call, { dialect }: Route): Promise<HttpResponse> {
  const [{ isBrowser }, { refusalPage }] = await Promise.all([
    import('../base/wire/page.ts'),
    import('./refusal-forms.ts'),
  ])
  return isBrowser(call.headers.accept) ? refusalPage(failure, call) : responseOf(failure, call, dialect)
}

export async function responseOf(failure: Failure, call: Call, dialect?: Route['dialect']): Promise<HttpResponse> {
  if (dialect === 'scim') return scimRefusal(failure, failure.headers)
  if (dialect === 'mcp') return mcpRefusal(failure, call)
  return errorBody(failure, call)
}

export async function render(
  route: string,
  call: Call,
  outcome: unknown,
  success: number = 200,
): Promise<RestResponse> {
  await Promise.all(call.beside)
  const result = outcome instanceof HttpResponse ? outcome : new HttpResponse(success, outcome)
  const text = typeof result.body === 'string'
  const headers = together(commonHeaders(call), result.headers)
  const bodiless = result.status === 204 || result.status === 304
  if (!bodiless && !text) headers['Content-Type'] ??= 'application/json; charset=utf-8'
  info('request', {
    route,
    status: result.status,
    ms: currentRuntime().clock.now() - call.at,
    ...call.ids,
    tenant: call.ctx?.space.tenant_id,
    mode: call.ctx?.space.mode,
    principal: call.ctx?.principal.id,
    rate: call.rate?.category,
  })
  return {
    statusCode: result.status,
    headers,
    body: bodiless ? '' : textOf(result.body),
    ...(result.follow && { follow: result.follow }),
  }
}

/** Both may name what an answer varies by. */
function together(common: Record<string, string>, own: Record<string, string>): Record<string, string> {
  const vary = [common.Vary, own.Vary].filter((name) => name !== undefined && name !== '')
  return { ...common, ...own, ...(vary.length > 0 && { Vary: [...new Set(vary)].join(', ') }) }
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

function commonHeaders(call: Call): Record<string, string> {
  const { verdict, category } = call.rate ?? neverRefused(currentRuntime().clock.now())
  const secure = process.env.BASE_URL?.startsWith('https:')
  return {
    'X-Request-Id': call.ids.request_id,
    ...(call.ids.correlation_id && { 'X-Correlation-Id': call.ids.correlation_id }),
    traceparent: traceparentOf(call.ids.trace_id),
    'X-RateLimit-Limit': String(verdict.limit),
    'X-RateLimit-Remaining': String(verdict.remaining),
    'X-RateLimit-Reset': String(verdict.reset),
    'X-RateLimit-Category': category,
    ...rateFields(verdict, currentRuntime().clock.now()),
    ...(call.quotaLeft !== undefined && { 'X-Quota-Remaining': `executions=${call.quotaLeft}` }),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(secure && { 'Strict-Transport-Security': 'max-age=63072000; includeSubDomains' }),
    ...corsHeaders(call.headers.origin),
  }
}

/** The service's own body, or problem details where the client asked for them. */
async function errorBody(failure: Failure, { ids, headers: sent }: Call): Promise<HttpResponse> {
  const { status, headers, options, kind, detail } = failure
  const code = options.code ?? kind
  const facts = {
    ...options.members,
    ...(status >= 500 && { trace_id: ids.trace_id }),
    request_id: ids.request_id,
  }
  if (wantsProblem(sent.accept)) {
    const { problemOf } = await import('./refusal-forms.ts')
    return new HttpResponse(status, problemOf(failure, code, facts), {
      headers: { ...headers, 'Content-Type': PROBLEM_JSON, Vary: 'Accept' },
    })
  }
  const body = { detail, code, ...(options.errors && { errors: options.errors }), ...facts }
  return new HttpResponse(status, body, { headers: { ...headers, Vary: 'Accept' } })
}

/**
 * A JSON-RPC error, with the challenge by which an MCP client finds the server that issues tokens (RFC 9728). Statuses are those of all
 * endpoints, but for 422, which the protocol does not know.
 */
function mcpRefusal(failure: Failure, call: Call): HttpResponse {
  const { status, options, detail, message } = failure
  const error = {
    code: codeOf(failure),
    message: typeof detail === 'string' ? detail : message,
    data: {
      code: options.code ?? failure.kind,
      ...(status >= 500 && { trace_id: call.ids.trace_id }),
      request_id: call.ids.request_id,
    },
  }
  const body = { jsonrpc: '2.0', id: idOf(call.sent), error }
  return new HttpResponse(status === 422 ? 400 : status, body, {
    headers: { ...failure.headers, ...challenge(failure, call) },
  })
}

/** The code of the protocol; the service's own ones begin at -32000. */
function codeOf(failure: Failure): number {
  if (failure instanceof NotJson) return -32_700
  if (['malformed', 'invalid', 'too_large'].includes(failure.kind)) return -32_600
  return failure.status >= 500 ? -32_603 : -32_000
}

/** Null while the message has not been read. */
const idOf = ({ id }: Call['sent']): string | number | null =>
  typeof id === 'string' || typeof id === 'number' ? id : null

/**
 * Names the scopes where a permission is missing, too: clients take a bare 403 for a demand to sign in. A refusal that no other
 * scope would change gets no challenge, which would lead people in circles.
 */
function challenge({ kind, options: { lacks } }: Failure, { params }: Call): Record<string, string> {
  const lacksScope = lacks !== undefined
  if (kind !== 'unauthenticated' && !lacksScope) return {}
  return { 'WWW-Authenticate': challengeOf(params.tenant_id ?? '', { lacksScope }) }
}
