// The trace of the work at hand (W3C Trace Context): one id that a request, the messages it sends and their workers share, so
// that one search finds all their log lines. It belongs to the asynchronous call, because a worker may handle several
// messages at once, and the local service runs all functions in one process.
import { AsyncLocalStorage } from 'node:async_hooks'
import { runtime } from './runtime.ts'

const current = new AsyncLocalStorage<string>()

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}$/
const LAMBDA = /Root=1-([\da-f]{8})-([\da-f]{24})/
const NO_PARENT = '0'.repeat(16)

/** Runs with this trace: log lines hold it, and messages that are sent carry it on. */
export const inTrace = <T>(trace_id: string, run: () => T): T => current.run(trace_id, run)

/** The trace of the work at hand, else of the invocation in Lambda; undefined where neither is known. */
export function currentTrace(): string | undefined {
  const known = current.getStore()
  if (known !== undefined) return known
  const lambda = LAMBDA.exec(process.env._X_AMZN_TRACE_ID ?? '')
  return lambda ? `${lambda[1]}${lambda[2]}` : undefined
}

/** 32 hex digits. */
export const newTraceId = (): string => Buffer.from(runtime.random(16)).toString('hex')

/** The trace id of a header, or undefined when the header is malformed. */
export const traceIdOf = (traceparent = ''): string | undefined => TRACEPARENT.exec(traceparent)?.[1]

/**
 * The header of a request or message that continues the trace. Its parent is a half of the trace id, since the service keeps no spans:
 * the second half where the first is zero, which a parent must not be. Tracers with ids of 64 bits fill the first half with zeros.
 */
export function traceparentOf(trace_id: string): string {
  const parent = trace_id.startsWith(NO_PARENT) ? trace_id.slice(16) : trace_id.slice(0, 16)
  return `00-${trace_id}-${parent}-01`
}
