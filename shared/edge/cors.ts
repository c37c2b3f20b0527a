// CORS headers: browsers may call with tokens from listed origins. X-API-Key is not allowed, because keys are for servers.

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
