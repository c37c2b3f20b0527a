// One outbound call over real sockets. The name is resolved once and the socket gets only checked addresses, so a second DNS
// answer cannot move the target. The peer's address is checked again before the request is sent.
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net'
import {
  BlockedTarget,
  callableAddresses,
  isCallable,
  type OutboundRules,
  outboundRules,
  refusalOfUrl,
} from './safe-http-target.ts'
import type { OutboundResponse, ErrorClass, OutboundRequest, Outcome } from './safe-http.ts'

const HEADER_BYTES_MAX = 16_384

/** The phase of a call. From `exchange` on the peer may have received the request. */
type Progress = { phase: 'resolve' | 'connect' | 'handshake' | 'exchange'; remote_ip?: string | undefined }

/** Makes one call. `rules` default to those of the process; tests pass their own. */
export async function call(request: OutboundRequest, rules: OutboundRules = outboundRules()): Promise<Outcome> {
  const started = performance.now()
  const timeout = AbortSignal.timeout(request.deadlineMs)
  const deadline = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout
  const progress: Progress = { phase: 'resolve' }
  const elapsed = () => Math.round(performance.now() - started)
  try {
    if (refusalOfUrl(request.url, rules) !== undefined) throw new BlockedTarget()
    const url = new URL(request.url)
    const addresses = await unlessAborted(callableAddresses(url.hostname, rules, deadline), deadline)
    progress.phase = 'connect'
    const incoming = await send(request, { url, addresses, rules, deadline, progress })
    const latency_ms = elapsed()
    const { body, body_end } = await readBody(incoming, request.answerBytesMax)
    return {
      kind: 'answer',
      status: incoming.statusCode ?? 0,
      headers: headersOf(incoming),
      body,
      body_end,
      latency_ms,
      remote_ip: progress.remote_ip,
    }
  } catch (error) {
    return {
      kind: progress.phase === 'exchange' ? 'unanswered' : 'not_sent',
      error_class: errorClass(error, progress.phase, deadline.aborted),
      latency_ms: elapsed(),
      remote_ip: progress.remote_ip,
    }
  }
}

type Connection = { url: URL; addresses: string[]; rules: OutboundRules; deadline: AbortSignal; progress: Progress }

/** Sends the request and waits for the status line. */
function send(request: OutboundRequest, connection: Connection): Promise<http.IncomingMessage> {
  const { url, addresses, rules, deadline, progress } = connection
  const secure = url.protocol === 'https:'
  const options: https.RequestOptions & Pick<TcpNetConnectOpts, 'autoSelectFamilyAttemptTimeout'> = {
    method: request.method,
    headers: { 'accept-encoding': 'identity', ...framed(request) },
    agent: false,
    lookup: pinned(addresses),
    autoSelectFamilyAttemptTimeout: 1_000,
    maxHeaderSize: HEADER_BYTES_MAX,
    minVersion: 'TLSv1.2',
    signal: deadline,
  }
  return new Promise((resolve, reject) => {
    const outgoing = secure ? https.request(url, options) : http.request(url, options)
    outgoing.once('socket', (socket) => {
      socket.once('connect', () => {
        progress.remote_ip = socket.remoteAddress
        if (!isCallable(socket.remoteAddress ?? '', rules.allowed)) outgoing.destroy(new BlockedTarget())
        else progress.phase = secure ? 'handshake' : 'exchange'
      })
      socket.once('secureConnect', () => {
        progress.phase = 'exchange'
      })
    })
    outgoing.once('response', resolve)
    outgoing.on('error', reject) // also handles errors of the peer after its answer
    outgoing.once('close', () => reject(new Error('the connection was closed without an answer')))
    outgoing.end(request.body)
  })
}

/**
 * The headers with the length of the body. Node adds none for DELETE, GET and HEAD: their body would follow the head unannounced, and
 * the peer would read it as another request on the same connection. No caller sets the framing.
 */
function framed({ headers, body }: OutboundRequest): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !/^(?:content-length|transfer-encoding|trailer)$/i.test(name))
  return {
    ...Object.fromEntries(own),
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  }
}

/** A name lookup that always answers with the given addresses. */
const pinned =
  (addresses: string[]): LookupFunction =>
  (_, options, callback) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }))
    const first = all[0]
    if (options.all) callback(null, all)
    else if (first) callback(null, first.address, first.family)
  }

async function readBody(
  incoming: http.IncomingMessage,
  bytesMax: number,
): Promise<Pick<OutboundResponse, 'body' | 'body_end'>> {
  const chunks: Buffer[] = []
  let capacity = bytesMax
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, capacity))
      capacity -= chunk.length
      if (capacity < 0) return { body: Buffer.concat(chunks), body_end: 'too_long' } // leaving the loop closes the socket
    }
  } catch {
    return { body: Buffer.concat(chunks), body_end: 'cut_off' }
  }
  return { body: Buffer.concat(chunks), body_end: incoming.complete ? 'whole' : 'cut_off' }
}

/** Without `__proto__`, which a map in the table cannot hold. */
function headersOf({ headersDistinct }: http.IncomingMessage): Record<string, string> {
  const headers = Object.entries(headersDistinct).filter(([name]) => name !== '__proto__')
  return Object.fromEntries(headers.map(([name, values = []]) => [name, values.join(', ')]))
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('aborted'))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function errorClass(error: unknown, phase: Progress['phase'], timedOut: boolean): ErrorClass {
  if (error instanceof BlockedTarget) return 'blocked_target'
  if (timedOut) return 'timeout'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ETIMEDOUT') return 'timeout'
  if (phase === 'resolve') return 'dns_error'
  if (phase === 'connect') return code === 'ECONNRESET' ? 'connection_reset' : 'connection_refused'
  if (phase === 'handshake') return code === 'ECONNRESET' ? 'connection_reset' : 'tls_error'
  if (code === 'HPE_HEADER_OVERFLOW') return 'header_overflow'
  return code.startsWith('HPE_') ? 'invalid_response' : 'connection_reset'
}
