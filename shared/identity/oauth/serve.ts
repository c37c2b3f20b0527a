// Passes a request of API Gateway to the library's server and returns its response. Host, scheme and stage come from the
// configuration. Headers in which a caller claims them are dropped.
import type { IncomingMessage, ServerResponse } from 'node:http'
import inject, { type Response } from 'light-my-request'
import { type Call, HttpResponse } from '../../base/wire/call.ts'
import { bodyKind, FORM_TYPE, isFormType } from '../../base/wire/media-type.ts'
import { readBody, type RestEvent } from '../../base/wire/rest-event.ts'
import { env } from '../../base/lib/runtime.ts'
import { type Abilities, oauthServer } from './provider.ts'
import { duringRequest } from './current-request.ts'

export type OAuthResponse = { response: HttpResponse; cookies?: string[] }

/** Answers requests of a route with the library's server. */
export const serve =
  (abilities: Abilities = {}) =>
  (call: Call, event: RestEvent): Promise<OAuthResponse> =>
    forward(call, event, abilities)

/** The library reads media types by narrower rules than the rest of the service, so it gets the plain name of the type that was sent. */
const PLAIN_TYPE = { form: FORM_TYPE, json: 'application/json' } as const

async function forward(call: Call, event: RestEvent, abilities: Abilities): Promise<OAuthResponse> {
  const listen = (await oauthServer(abilities)).callback()
  const app = new URL(env('APP_URL'))
  const url = urlOf(event)
  const body = readBody(event)
  const type = call.headers['content-type']
  const kind = bodyKind(type)
  if (kind === 'other' && isFormType(type)) return notUtf8()
  const isForm = kind === 'form'
  const form = askForConsent(new URLSearchParams(isForm ? body.toString('utf8') : ''))
  const dispatch = (request: IncomingMessage, response: ServerResponse) => {
    // The library derives its mount path from `originalUrl`. Without a custom domain, the path begins with the stage.
    Object.assign(request, { originalUrl: app.pathname.replace(/\/$/, '') + url })
    duringRequest({ call, form }, () => listen(request, response))
  }
  const response = await inject(dispatch, {
    method: event.httpMethod,
    url,
    headers: {
      ...forwardedHeaders(event, call),
      ...(kind !== 'other' && { 'content-type': PLAIN_TYPE[kind] }),
      host: app.host,
      'x-forwarded-proto': app.protocol.slice(0, -1),
    },
    remoteAddress: call.ip,
    ...(body.length > 0 && { payload: isForm ? form.toString() : body }),
  })
  return responseOf(response)
}

/** A form in another encoding: its fields would be read as other texts than were sent. */
const notUtf8 = (): OAuthResponse => ({
  response: new HttpResponse(400, { error: 'invalid_request', error_description: 'Send the form in UTF-8.' }),
})

/** Keeps repeated parameters, because the library refuses them. */
function urlOf({ path, multiValueQueryStringParameters: sent }: RestEvent): string {
  const pairs = Object.entries(sent ?? {}).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const query = askForConsent(new URLSearchParams(pairs))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** Headers that a caller must not set, or that are set again here. */
const DROPPED = /^(host|forwarded|x-forwarded-.*|x-real-ip|content-length|transfer-encoding|connection|cookie)$/

function forwardedHeaders({ multiValueHeaders }: RestEvent, { headers }: Call): Record<string, string> {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !DROPPED.test(name)))
  const cookies = Object.entries(multiValueHeaders ?? {}).filter(([name]) => name.toLowerCase() === 'cookie')
  const cookie = cookies.flatMap(([, values = []]) => values).join('; ')
  return { ...kept, ...(cookie !== '' && { cookie }) }
}

/** Headers that hold for one connection only, or that are set elsewhere. */
const HOP_BY_HOP = new Set(['connection', 'content-length', 'date', 'keep-alive', 'set-cookie', 'transfer-encoding'])

function responseOf({ statusCode, headers, payload }: Response): OAuthResponse {
  const named = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name))
  const single = Object.fromEntries(named.map(([name, value]) => [capitalised(name), String(value)]))
  return {
    response: new HttpResponse(statusCode, payload, { headers: single }),
    cookies: [headers['set-cookie'] ?? []].flat(),
  }
}

/** The request layers write header names this way; with the same spelling no header is sent twice. */
const capitalised = (name: string) => name.replaceAll(/(^|-)\w/g, (start) => start.toUpperCase())

/**
 * Adds `prompt=consent` to a request for `offline_access`. OpenID Connect Core (section 11) requires both together, but many
 * clients send only the scope. Changes and returns its argument.
 */
export function askForConsent(params: URLSearchParams): URLSearchParams {
  if (params.getAll('prompt').length > 1) return params // the library refuses it
  const prompts = params.get('prompt')?.split(' ') ?? []
  const later = params.has('response_type') && params.get('scope')?.split(' ').includes('offline_access')
  if (!later || prompts.includes('none') || prompts.includes('consent')) return params
  params.set('prompt', [...prompts, 'consent'].join(' '))
  return params
}
