// Wraps every OAuth endpoint: ids, headers, log line and rate limit as for all endpoints, errors in the format of RFC 6749.
import { openTable } from '../../base/context.ts'
import { HttpResponse, type Call } from '../../base/wire/call.ts'
import { BODY_BYTES_DEFAULT } from '../../base/wire/parse-body.ts'
import type { Handler } from '../../edge/endpoint.ts'
import { takeFromAddress, tooMany } from '../../edge/limit-rate.ts'
import { isBrowser } from '../../base/wire/page.ts'
import { refusalPage } from '../../edge/refusal-page.ts'
import { openCall, render } from '../../edge/respond.ts'
import { type RestResponse, type RestEvent, readBody } from '../../base/wire/rest-event.ts'
import type { Route } from '../../base/wire/route.ts'
import { Failure, unavailable } from '../../base/lib/failure.ts'
import { alarm } from '../../base/lib/log.ts'

export type Reply = { answer: HttpResponse; cookies?: string[] }

/** An error response; `error` is a code of the protocol. */
export const refusal = (status: number, error: string, headers: Record<string, string> = {}): Reply => ({
  answer: new HttpResponse(status, { error }, { headers }),
})

/** Whatever `run` throws is answered as 503, since `run` itself answers the errors of the client. */
export const protocol =
  (route: Route, run: (call: Call, event: RestEvent) => Promise<Reply>): Handler =>
  async (event) => {
    const call = openCall(event)
    try {
      return await answered(route, call, (await refusedAtOnce(route, call, event)) ?? (await run(call, event)))
    } catch (error) {
      alarm('oauth_failed', error, { route: route.id, ...call.ids })
      return answered(route, call, shown(route, call, unavailable('unavailable', error), 'temporarily_unavailable'))
    }
  }

async function refusedAtOnce(route: Route, call: Call, event: RestEvent): Promise<Reply | undefined> {
  if (route.rate !== 'none') {
    call.rate = await takeFromAddress(openTable(), call.ip)
    const seconds = call.rate.verdict.retryAfterSeconds
    if (seconds) return shown(route, call, tooMany(seconds), 'temporarily_unavailable')
  }
  if (readBody(event).length <= BODY_BYTES_DEFAULT) return undefined
  return shown(
    route,
    call,
    new Failure('too_large', `The request is too large. Send at most ${BODY_BYTES_DEFAULT} bytes.`),
    'invalid_request',
  )
}

/** A page for browsers, an error code of the protocol for programs. */
function shown(route: Route, call: Call, failure: Failure, error: string): Reply {
  if (route.pages && isBrowser(call.headers.accept)) return { answer: refusalPage(failure, call) }
  return refusal(failure.status, error, failure.headers)
}

/** Adds the headers of all responses, except those of CORS: here the redirect URIs of the client decide about origins. */
async function answered(route: Route, call: Call, { answer, cookies = [] }: Reply): Promise<RestResponse> {
  const { origin: _, ...headers } = call.headers
  const rendered = await render(route.id, { ...call, headers }, answer)
  return { ...rendered, ...(cookies.length > 0 && { multiValueHeaders: { 'Set-Cookie': cookies } }) }
}
