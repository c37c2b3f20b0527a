import { Failure } from './failure.ts'

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
