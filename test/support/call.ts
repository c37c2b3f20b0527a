// Calls a route over HTTP by its row, so that a test names neither paths nor methods.
import type { Host, ParamsOf, Route } from '../../shared/base/wire/route.ts'
import { send } from './http.ts'

type Options = {
  query?: Record<string, string | number | boolean>
  /** Sent as JSON, unless it is text or bytes already. */
  body?: object | string
  headers?: Record<string, string>
  /** An API key or an access token. */
  key?: string | undefined
  ip?: string
  /** Of a route that both hosts serve; the API host by default. */
  host?: Host
}

/** Routes with path variables take them as `params`; for the others everything may be left out. */
export type CallInput<P extends string> = P extends `${string}{${string}`
  ? [input: Options & { params: ParamsOf<P> }]
  : [input?: Options]

// A test looks wherever it likes into a body; what it finds there is checked by its own expectations.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

export type Reply = { status: number; headers: Record<string, string>; body: Body }

export type Call = <const P extends string>(route: Route<P>, ...input: CallInput<P>) => Promise<Reply>

export const caller =
  (urls: { apiUrl: string; appUrl: string }, defaultKey?: string): Call =>
  async (route, ...[input]) => {
    const {
      key = defaultKey,
      ip,
      host = route.host,
      headers = {},
      ...parts
    }: Options & { params?: object } = input ?? {}
    const content = contentOf(parts.body)
    const answer = await send(`${host === 'app' ? urls.appUrl : urls.apiUrl}${pathOf(route.path, parts)}`, {
      method: route.method,
      headers: {
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
      ...(ip && { ip }),
    })
    return { status: answer.status, headers: answer.headers, body: parse(answer.text) }
  }

function pathOf(template: string, { params = {}, query = {} }: { params?: object; query?: Options['query'] }): string {
  const values = new Map<string, unknown>(Object.entries(params))
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name))))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.append(name, String(value))
  return search.size === 0 ? path : `${path}?${search.toString()}`
}

const contentOf = (body: Options['body']): string | Uint8Array | undefined =>
  typeof body === 'object' && !(body instanceof Uint8Array) ? JSON.stringify(body) : body

function parse(text: string): Body {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
