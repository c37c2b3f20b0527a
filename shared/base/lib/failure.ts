// The only error that a caller can cause. Any other error is a fault of the service and becomes a 500.

/** The closed list of kinds of failure, with the HTTP status of each. */
export const STATUS_OF = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition: 412,
  too_large: 413,
  invalid: 422,
  rate_limited: 429,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
} as const

export type FailureKind = keyof typeof STATUS_OF

/**
 * One violated rule of a 422. `loc` starts with `body`, `header` or `query`; the message never repeats the received value.
 */
export type Violation = { loc: (string | number)[]; msg: string; type: ViolationType }
export type ViolationType = 'value_error' | 'type_error' | 'extra_forbidden' | 'missing' | 'idempotency_mismatch'

export type FailureOptions = {
  /** A machine-readable code, more specific than the kind; `shared/base/catalog/codes.ts` lists all of them. */
  code?: string
  /** Only logged, never sent. */
  internal?: string
  /** The permission that the credential lacks, where another credential would not be refused. Never sent. */
  lacks?: string
  cause?: unknown
  retryAfterSeconds?: number
  /** All violations of a 400 with several missing fields. */
  errors?: Violation[]
  headers?: Record<string, string>
  /** Further members of the body that help a client to continue. */
  members?: Record<string, string>
}

/** `detail` goes to the caller as it is; `internal` is only logged. */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly detail: string | Violation[]
  readonly options: FailureOptions

  constructor(kind: FailureKind, detail: string | Violation[], options: FailureOptions = {}) {
    super(typeof detail === 'string' ? detail : detail.map((v) => `${v.loc.join('.')}: ${v.msg}`).join('; '), {
      cause: options.cause,
    })
    this.name = 'Failure'
    this.kind = kind
    this.detail = detail
    this.options = options
  }

  get status(): number {
    return STATUS_OF[this.kind]
  }

  get headers(): Record<string, string> {
    const { headers, retryAfterSeconds } = this.options
    return { ...headers, ...(retryAfterSeconds && { 'Retry-After': String(retryAfterSeconds) }) }
  }
}

/** The same text for a missing resource and for one of another tenant. */
export const notFound = (resource: string) => new Failure('not_found', `${resource} not found`)
export const conflict = (detail: string, options: FailureOptions = {}) => new Failure('conflict', detail, options)
export const forbidden = (detail: string, options: FailureOptions = {}) => new Failure('forbidden', detail, options)
export const malformed = (detail: string, options: FailureOptions = {}) => new Failure('malformed', detail, options)

/** For an operation that only people do: no permission gives it to a key or a client. */
export const personRequired = () =>
  forbidden('Only a person who is signed in can do this. Sign in and repeat the request.', { code: 'person_required' })

/** A dependency does not answer. The caller may retry in a second. */
export const unavailable = (detail: string, cause: unknown) =>
  new Failure('unavailable', detail, { cause, retryAfterSeconds: 1 })

/** A 422 about one member of the request body. */
export const invalid = (loc: (string | number)[], msg: string, type: ViolationType = 'value_error') =>
  new Failure('invalid', [{ loc: ['body', ...loc], msg, type }])

/** Every thrown value as a failure. The details of unexpected errors are for the log only, so the failure holds none of them. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof Error && BUSY_NAME.test(error.name)) {
    return new Failure('unavailable', 'The service is busy. Repeat the request in a second.', {
      code: 'busy',
      retryAfterSeconds: 1,
    })
  }
  if (isOutage(error)) {
    return new Failure('unavailable', 'A dependency did not answer in time. Repeat the request.', {
      retryAfterSeconds: 1,
    })
  }
  return new Failure('internal', 'The service failed. Try again, and report the trace_id if it fails again.')
}

const NETWORK_CODE = /^(ECONN|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT)/
/** Names of SDK errors that mean that a dependency received too many requests. */
const BUSY_NAME = /Throttl|ThroughputExceeded|LimitExceeded|TooManyRequests|SlowDown|TransactionCanceled/

/** SDK errors that mean that a dependency is down or slow. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, $fault, $retryable } = error as { code?: string; $fault?: string; $retryable?: unknown }
  if (error.name === 'TimeoutError' || $fault === 'server' || $retryable) return true
  return NETWORK_CODE.test(code ?? '')
}
