// Refusals as JSON-RPC errors, and the challenge that tells an MCP client where to get a token (RFC 9728).
import type { Failure } from '../base/lib/failure.ts'
import { HttpResponse, type Call } from '../base/wire/call.ts'
import { NotJson } from '../base/wire/parse-body.ts'
import { challengeOf } from '../identity/oauth/resources.ts'

/** Statuses stay as they are everywhere, but for 422, which the protocol does not know. */
export function mcpRefusal(failure: Failure, call: Call): HttpResponse {
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
