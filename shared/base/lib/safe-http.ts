// Every call to an address that a tenant chose goes through this file. It calls public addresses only, follows no redirects,
// ends at its deadline and reads a bounded answer. Network failures are returned, not thrown. `node:http` is loaded with the
// first call, because loading it costs 18 ms.

export type OutboundRequest = {
  url: string
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers: Readonly<Record<string, string>>
  body?: string
  /** Covers name resolution, connection, TLS, status line and body. */
  deadlineMs: number
  /** The body of the answer is read up to this length. */
  answerBytesMax: number
  /** Ends the call in the same way as the deadline. */
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

/** The status line arrived in time. `body_end` says whether the whole body did. */
export type OutboundResponse = {
  kind: 'answer'
  status: number
  /** Names in lower case. Values of a repeated header are joined by a comma. */
  headers: Record<string, string>
  body: Buffer
  /** `too_long`: cut at `answerBytesMax`. `cut_off`: ended by the deadline or a connection reset. */
  body_end: 'whole' | 'too_long' | 'cut_off'
  /** Time until the status line. */
  latency_ms: number
  remote_ip?: string | undefined
}

/** `not_sent`: refused or failed before the request was sent. `unanswered`: the peer may have received it. */
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

/** Makes one call. Never rejects because of the peer or the network. */
export const outbound: Transport = (request) => transport(request)

/** Replaces the network of this process; without an argument restores it. For tests only. */
export function setTransport(next: Transport = overSockets): void {
  transport = next
}

/**
 * Why a URL may not be called, in words for its owner; undefined when it may. A name that does not resolve now is accepted,
 * because it may resolve later and each call checks again.
 */
export async function refusalOfTarget(url: string): Promise<string | undefined> {
  const { outboundRules, refusalOfHost, refusalOfUrl } = await import('./safe-http-target.ts')
  const rules = outboundRules()
  return refusalOfUrl(url, rules) ?? (await refusalOfHost(new URL(url).hostname, rules))
}
