// Carries a request of API Gateway into the library's server and its answer back. What of a request only API Gateway can
// know, host, scheme and stage, comes from our own configuration; what a caller claims of them is dropped.
import type { IncomingMessage, ServerResponse } from 'node:http'
import inject, { type Response } from 'light-my-request'
import { HttpResponse, type Call } from '../../base/wire/call.ts'
import type { Handler } from '../../edge/endpoint.ts'
import { type RestEvent, readBody } from '../../base/wire/rest-event.ts'
import type { Route } from '../../base/wire/route.ts'
import { env } from '../../base/lib/env.ts'
import { askForConsent } from './prompt.ts'
import { protocol, type Reply } from './protocol.ts'
import { type Abilities, oauthServer } from './provider.ts'
import { whileServing } from './served.ts'

/** The handler of a route that the library serves. */
export const serve = (route: Route, abilities: Abilities = {}): Handler =>
  protocol(route, (call, event) => carried(call, event, abilities))

const FORM = /^application\/x-www-form-urlencoded\b/i

async function carried(call: Call, event: RestEvent, abilities: Abilities): Promise<Reply> {
  const listen = (await oauthServer(abilities)).callback()
  const app = new URL(env('APP_URL'))
  const url = urlOf(event)
  const body = readBody(event)
  const isForm = FORM.test(call.headers['content-type'] ?? '')
  const form = askForConsent(new URLSearchParams(isForm ? body.toString('utf8') : ''))
  const dispatch = (request: IncomingMessage, response: ServerResponse) => {
    // From which the library tells below which path it is mounted: without a domain of its own, a host has a stage.
    Object.assign(request, { originalUrl: app.pathname.replace(/\/$/, '') + url })
    whileServing({ call, form }, () => listen(request, response))
  }
  const response = await inject(dispatch, {
    method: event.httpMethod,
    url,
    headers: { ...passedOn(event, call), host: app.host, 'x-forwarded-proto': app.protocol.slice(0, -1) },
    remoteAddress: call.ip,
    ...(body.length > 0 && { payload: isForm ? form.toString() : body }),
  })
  return replyOf(response)
}

/** With every value of every parameter: what is sent twice is the library's to refuse. */
function urlOf({ path, multiValueQueryStringParameters: sent }: RestEvent): string {
  const pairs = Object.entries(sent ?? {}).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const query = askForConsent(new URLSearchParams(pairs))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** What a caller may not say of the way here, and what is said anew. */
const DROPPED = /^(host|forwarded|x-forwarded-.*|x-real-ip|content-length|transfer-encoding|connection|cookie)$/

function passedOn({ multiValueHeaders }: RestEvent, { headers }: Call): Record<string, string> {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !DROPPED.test(name)))
  const cookies = Object.entries(multiValueHeaders ?? {}).filter(([name]) => name.toLowerCase() === 'cookie')
  const cookie = cookies.flatMap(([, values = []]) => values).join('; ')
  return { ...kept, ...(cookie !== '' && { cookie }) }
}

/** Between a server and whoever is next to it. */
const HOP_BY_HOP = new Set(['connection', 'content-length', 'date', 'keep-alive', 'set-cookie', 'transfer-encoding'])

function replyOf({ statusCode, headers, payload }: Response): Reply {
  const named = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name))
  const single = Object.fromEntries(named.map(([name, value]) => [capitalised(name), String(value)]))
  return {
    answer: new HttpResponse(statusCode, payload, { headers: single }),
    cookies: [headers['set-cookie'] ?? []].flat(),
  }
}

/** As our own layers write header names, so that none stands twice. */
const capitalised = (name: string) => name.replaceAll(/(^|-)\w/g, (start) => start.toUpperCase())
