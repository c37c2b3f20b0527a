// Which web pages may call: browsers with tokens from listed origins (CORS), and no foreign page at an MCP endpoint. X-API-Key is not
// allowed, because keys are for servers.
import { env } from '../base/lib/runtime.ts'
import { forbidden } from '../base/lib/failure.ts'
import type { Layer } from '../base/wire/call.ts'
import type { Headers } from '../base/wire/rest-event.ts'
import type { Route } from '../base/wire/route.ts'

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Correlation-Id, X-Mode, traceparent'
const EXPOSED_HEADERS =
  'X-Request-Id, X-Correlation-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Category, Retry-After, ETag, Location, Idempotent-Replayed, X-Next-Cursor, Link, RateLimit, RateLimit-Policy'

/** Empty for an unlisted origin; then the browser blocks the call. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  const allowed = (process.env.CORS_ORIGINS ?? process.env.APP_URL ?? '').split(',').map(originOf)
  if (!origin || !(allowed.includes('*') || allowed.includes(origin))) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    Vary: 'Origin',
  }
}

export function preflightHeaders(origin: string | undefined, methods: readonly string[]): Record<string, string> {
  const headers = corsHeaders(origin)
  if (!headers['Access-Control-Allow-Origin']) return {}
  return {
    ...headers,
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': '600',
  }
}

/** For routes whose answers say themselves which origins may read them, such as those of an OAuth client. */
export const openPreflight = (origin: string | undefined, methods: readonly string[]): Record<string, string> =>
  origin === undefined
    ? {}
    : {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Methods': methods.join(', '),
        'Access-Control-Allow-Headers': 'Authorization, Content-Type',
        'Access-Control-Max-Age': '3600',
        Vary: 'Origin',
      }

const originOf = (url: string) => (URL.canParse(url.trim()) ? new URL(url.trim()).origin : url.trim())

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Keeps web pages of other origins from MCP endpoints, which an agent on the same machine may reach without a browser's rules (DNS
 * rebinding): a foreign Origin is refused, and where the service runs on loopback a foreign Host, too.
 */
export const ownOrigin = ({ dialect }: Pick<Route, 'dialect'>): Layer => ({
  before: ({ event }) => {
    if (dialect !== 'mcp') return
    const { headers } = event.call
    if (headers.origin !== undefined && !isOwn(headers.origin))
      throw forbidden('This origin is not allowed. Call from a server, or ask the operator to list the origin.')
    if (!isOwnHost(headers)) throw forbidden('This host name is not allowed. Use the address of the service.')
  },
})

const isLocal = () => LOOPBACK.test(new URL(env('BASE_URL')).hostname)
const hostnameOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')

/** Pages on the machine of a developer may call a service that runs there, too. */
const isOwn = (origin: string): boolean =>
  [env('BASE_URL'), env('APP_URL')].some((url) => new URL(url).origin === origin) ||
  corsHeaders(origin)['Access-Control-Allow-Origin'] !== undefined ||
  (isLocal() && LOOPBACK.test(hostnameOf(origin)))

const isOwnHost = ({ host }: Headers): boolean =>
  host === undefined || !isLocal() || LOOPBACK.test(hostnameOf(`http://${host}`))
