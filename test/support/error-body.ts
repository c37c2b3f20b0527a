// The one shape of every error body, and what all answers have in common.
import * as z from 'zod'
import type { Reply } from './call.ts'

const Violation = z.strictObject({
  loc: z.tuple([z.enum(['body', 'header', 'query'])], z.union([z.string(), z.int()])),
  msg: z.string().min(1),
  type: z.enum(['value_error', 'type_error', 'extra_forbidden', 'missing', 'idempotency_mismatch']),
})

const CODES = {
  400: ['malformed', 'missing_field', 'invalid_cursor'],
  401: ['unauthenticated'],
  403: ['forbidden', 'plan_limit', 'plan_feature', 'ip_not_allowed', 'policy_rejected'],
  404: ['not_found'],
  405: ['method_not_allowed'],
  409: ['conflict', 'already_exists', 'version_conflict', 'idempotency_in_progress', 'key_in_use'],
  413: ['too_large'],
  422: ['invalid', 'idempotency_mismatch'],
  429: ['rate_limited', 'stream_limit', 'quota_exceeded'],
  500: ['internal'],
  502: ['target_failed'],
  503: ['unavailable', 'busy'],
} satisfies Record<number, string[]>

const ErrorBody = z.strictObject({
  detail: z.union([z.string().min(1), z.array(Violation).min(1).max(50)]),
  code: z.string(),
  errors: z.array(Violation).min(1).max(50).optional(),
  trace_id: z
    .string()
    .regex(/^[\da-f]{32}$/)
    .optional(),
  request_id: z.string().regex(/^req_[0-9A-Z]{26}$/),
})

/** Throws, saying why, unless the reply is a well-formed refusal of its status. */
export function mustBeRefusal({ status, headers, body }: Reply): void {
  const error = ErrorBody.parse(body)
  const codes: readonly string[] = CODES[status as keyof typeof CODES] ?? []
  const faults = [
    !codes.includes(error.code) && `code ${error.code} does not belong to status ${status}`,
    (status === 422) !== Array.isArray(error.detail) && `detail of ${status} has the wrong form`,
    status >= 500 !== (error.trace_id !== undefined) && `trace_id does not belong to status ${status}`,
    (error.code === 'missing_field') !== (error.errors !== undefined) && 'errors belong to missing fields',
    error.request_id !== headers['x-request-id'] && 'request_id differs from X-Request-Id',
    (status === 429 || status === 503) !== 'retry-after' in headers && status !== 409 && 'Retry-After',
  ].filter((fault) => fault !== false)
  if (faults.length > 0) throw new Error(`${faults.join('; ')}: ${JSON.stringify(body)}`)
}

/** What every answer of a function carries. Throws with the names of what is missing or wrong. */
export function mustHaveCommonHeaders({ status, headers }: Reply): void {
  const expected: Record<string, RegExp> = {
    'x-request-id': /^req_[0-9A-Z]{26}$/,
    traceparent: /^00-[\da-f]{32}-[\da-f]{16}-01$/,
    'x-ratelimit-limit': /^\d+$/,
    'x-ratelimit-remaining': /^\d+$/,
    'x-ratelimit-reset': /^\d{10}$/,
    'x-ratelimit-category': /^(auth|ai|global)$/,
    'ratelimit-policy': /^"(second|minute|day)";q=\d+;w=\d+$/,
    ratelimit: /^"(second|minute|day)";r=\d+;t=\d+$/,
    'cache-control': /^no-store$/,
    'x-content-type-options': /^nosniff$/,
    ...(status !== 204 && { 'content-type': /^application\/json; charset=utf-8$/ }),
  }
  const wrong = Object.entries(expected).filter(([name, pattern]) => !pattern.test(headers[name] ?? ''))
  if (wrong.length > 0) throw new Error(`${status}: ${wrong.map(([name]) => `${name}: ${headers[name]}`).join(', ')}`)
  if ('strict-transport-security' in headers) throw new Error('HSTS on a host without TLS')
}

/** Status and body without what belongs to one request alone. */
export const withoutIds = ({ status, body }: Reply) => ({ status, body: { ...body, request_id: '', trace_id: '' } })
