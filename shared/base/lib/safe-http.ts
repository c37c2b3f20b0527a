// The only way out: every call to an address that a tenant chose goes through here. It reaches public addresses only,
// follows no redirect, ends at its deadline and holds a bounded answer. Failures of the network are values, not errors.
// The sockets are loaded with the first call, because `node:http` costs 18 ms at the start of a function.

export type OutboundRequest = {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers: Readonly<Record<string, string>>
  body?: string
  /** Over name resolution, connection, TLS, status line and body. */
  deadlineMs: number
  /** More of the answer's body is not read. */
  answerBytesMax: number
  /** Ends the call like its deadline. */
  signal?: AbortSignal
}

export type ErrorClass =
  | 'dns_error'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_error'
  | 'timeout'
  | 'blocked_target'
  | 'header_overflow'
  | 'invalid_response'

/** A status line came in time, which decides; whether the body did too is told by `body_end`. */
export type OutboundResponse = {
  kind: 'answer'
  status: number
  /** Names in lower case; of a repeated header all values, joined by a comma. */
  headers: Record<string, string>
  body: Buffer
  /** `too_long`: cut at `answerBytesMax`. `cut_off`: the deadline or a reset came first. */
  body_end: 'whole' | 'too_long' | 'cut_off'
  /** Until the status line. */
  latency_ms: number
  remote_ip?: string | undefined
}

/** `not_sent`: refused or failed before a byte of the request left. `unanswered`: the peer may have received it. */
export type NoResponse = {
  kind: 'not_sent' | 'unanswered'
  error_class: ErrorClass
  latency_ms: number
  remote_ip?: string | undefined
}

export type Outcome = OutboundResponse | NoResponse
export type Transport = (request: OutboundRequest) => Promise<Outcome>

const overSockets: Transport = async (request) => {
  const { call } = await import('./safe-http-call.ts')
  return call(request)
}

let transport: Transport = overSockets

/** Makes one call. Never rejects for what the other side or the network does. */
export const outbound: Transport = (request) => transport(request)

/** Replaces the network of this process; without an argument restores it. For harnesses only. */
export function setTransport(next: Transport = overSockets): void {
  transport = next
}

/**
 * Why a URL may not be called, in words for its owner; undefined when it may. A name that does not resolve at present
 * is no reason: it may do so later, and each call checks again.
 */
export async function refusalOfTarget(url: string): Promise<string | undefined> {
  const { outboundRules, refusalOfHost, refusalOfUrl } = await import('./safe-http-target.ts')
  const rules = outboundRules()
  return refusalOfUrl(url, rules) ?? (await refusalOfHost(new URL(url).hostname, rules))
}
