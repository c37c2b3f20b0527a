// Wraps every OAuth endpoint: ids, headers, log line and rate limit as for all endpoints, errors in the format of RFC 6749.
import { openTable } from '../base/context.ts'
import { HttpResponse, type Call } from '../base/wire/call.ts'
import { BODY_BYTES_DEFAULT } from '../base/wire/parse-body.ts'
import { isBrowser } from '../base/wire/page.ts'
import { type RestResponse, type RestEvent, readBody, readTrace } from '../base/wire/rest-event.ts'
import type { Route } from '../base/wire/route.ts'
import { Failure, unavailable } from '../base/lib/failure.ts'
import { alarm } from '../base/lib/log.ts'
import { inTrace } from '../base/lib/trace.ts'
import type { OAuthResponse } from '../identity/oauth/serve.ts'
import type { Handler } from './endpoint.ts'
import { takeFromAddress, tooMany } from './limit-rate.ts'
import { refusalPage } from './refusal-forms.ts'
import { openCall, render } from './respond.ts'

type Run = (call: Call, event: RestEvent) => Promise<OAuthResponse>

/** Every error that `run` throws is answered as 503, since `run` itself answers the errors of the client. */
export const oauthEndpoint =
  (route: Route, run: Run): Handler =>
  (event) =>
    inTrace(readTrace(event), () => answer(route, run, event))

async function answer(route: Route, run: Run, event: RestEvent): Promise<RestResponse> {
  const call = openCall(event)
  try {
    return await respond(route, call, (await earlyRefusal(route, call, event)) ?? (await run(call, event)))
  } catch (error) {
    alarm('oauth_failed', error, { route: route.id, ...call.ids })
    return respond(route, call, refusal(route, call, unavailable('unavailable', error), 'temporarily_unavailable'))
  }
}

async function earlyRefusal(route: Route, call: Call, event: RestEvent): Promise<OAuthResponse | undefined> {
  if (route.rate !== 'none') {
    call.rate = await takeFromAddress(openTable(), call.ip)
    const seconds = call.rate.verdict.retryAfterSeconds
    if (seconds) return refusal(route, call, tooMany(seconds), 'temporarily_unavailable')
  }
  if (readBody(event).length <= BODY_BYTES_DEFAULT) return undefined
  return refusal(
    route,
    call,
    new Failure('too_large', `The request is too large. Send at most ${BODY_BYTES_DEFAULT} bytes.`),
    'invalid_request',
  )
}

/** A page for browsers, an error code of the protocol for programs. */
function refusal(route: Route, call: Call, failure: Failure, error: string): OAuthResponse {
  if (route.pages && isBrowser(call.headers.accept)) return { response: refusalPage(failure, call) }
  return { response: new HttpResponse(failure.status, { error }, { headers: failure.headers }) }
}

/** Adds the headers of all responses, except those of CORS: here the redirect URIs of the client decide about origins. */
async function respond(route: Route, call: Call, { response, cookies = [] }: OAuthResponse): Promise<RestResponse> {
  const { origin: _, ...headers } = call.headers
  const rendered = await render(route.id, { ...call, headers }, response)
  return { ...rendered, ...(cookies.length > 0 && { multiValueHeaders: { 'Set-Cookie': cookies } }) }
}
