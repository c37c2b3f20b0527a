// One operation behind the five layers, in the order of the API specification. Lists get links to their pages, and a success without its
// committed artifact becomes a 500.
import middy from '@middy/core'
import type * as z from 'zod'
import type { Context, Space } from '../base/context.ts'
import { tenantOf } from '../base/tenant/find.ts'
import type { Table } from '../base/table/table.ts'
import { auditDenials, authorize } from './authorize.ts'
import { authenticate } from './authenticate.ts'
import type { Caller } from './authenticated.ts'
import { type Call, HttpResponse, type Incoming, type Layer, type Shapes } from '../base/wire/call.ts'
import { notModified } from '../base/wire/etag.ts'
import { limitRate, lookAtTenant, takeFromTenant } from './limit-rate.ts'
import { lookUp, once, type OnceOptions } from './once.ts'
import { ownOrigin } from './cors.ts'
import { respond } from './respond.ts'
import type { ParamsOf, Route } from '../base/wire/route.ts'
import { type Headers, readQuery, readTrace, type RestEvent, type RestResponse } from '../base/wire/rest-event.ts'
import { inTrace } from '../base/lib/trace.ts'
import { validate } from './validate.ts'
import { OFFSET_MAX } from '../base/wire/pagination.ts'

type Read<S> = S extends z.ZodType ? z.output<S> : Record<string, never>

/** The input of a handler. `governance` is the result of `govern`. */
export type Request<P extends string, S extends Shapes, G> = {
  params: ParamsOf<P>
  query: Read<S['query']>
  body: Read<S['body']>
  headers: Headers
  ctx: Context
  governance: G
} & Pick<Call, 'bytes' | 'path' | 'version' | 'recheck'>

export type Options<S extends Shapes, G> = OnceOptions & {
  /** Layer 4: reads policies, settings and other inputs of the decision. It starts together with authentication. */
  govern?: (
    table: Table,
    space: Space,
    input: { params: Record<string, string>; body: Read<S['body']>; caller?: Caller | undefined },
  ) => Promise<G>
}

export type Handler = (event: RestEvent, context: object) => Promise<RestResponse>

export function endpoint<const P extends string, S extends Shapes, G = undefined>(
  route: Route<P>,
  shapes: S,
  run: (request: Request<P, S, G>) => Promise<z.input<S['response']> | HttpResponse>,
  options: Options<S, G> = {},
): Handler {
  const handler = middy<Incoming, unknown>({ timeoutEarlyInMillis: 250 })
  const layers: Layer[] = [
    respond(route), // outermost: headers, ids, and the only place where a Failure becomes a status
    links(route),
    auditDenials(route),
    ownOrigin(route),
    validate(route, shapes),
    authenticate(route, begin(route, options)),
    limitRate(route), // after authentication, because limits belong to tenants
    authorize(route),
    once(route, stripping(options, shapes)), // after authorisation: a repeat must still be allowed
    record(route),
  ]
  for (const layer of layers) handler.use(layer)
  const answer = handler.handler(async ({ call }: Incoming) => {
    // The layers have filled the call as row and shapes promise, which the compiler cannot follow.
    const request = { ...call, governance: await call.started?.governance } as unknown as Request<P, S, G>
    const result = await run(request)
    if (result instanceof HttpResponse) return notModified(route, call, result) ?? rendered(result, shapes)
    return new HttpResponse(route.success ?? 200, shapes.response.parse(result))
  }) as Handler
  return (event, context) => inTrace(readTrace(event), () => answer(event, context))
}

/** Parses the response by its schema, which strips unknown members. */
const rendered = (result: HttpResponse, shapes: Shapes) =>
  new HttpResponse(result.status, shapes.response.parse(result.body), result)

/** A replayed response is parsed by the schema like the first one. */
function stripping({ replay, protect }: OnceOptions, shapes: Shapes): OnceOptions {
  if (!replay) return { ...(protect && { protect }) }
  return {
    ...(protect && { protect }),
    replay: async (ctx, ref, call) => {
      const again = await replay(ctx, ref, call)
      return again && rendered(again, shapes)
    },
  }
}

/**
 * Starts all first reads of a request at once. The layers that need them await them, so rejections are marked as handled.
 */
function begin<S extends Shapes, G>(route: Route, options: Options<S, G>) {
  return (call: Call, space: Space, table: Table, caller?: Caller) => {
    const tenant = tenantOf(table, space.tenant_id)
    const started = {
      tenant,
      rate: tenant.then((known) => (route.counts === false ? lookAtTenant : takeFromTenant)(table, space, known)),
      remembered: lookUp(route, call, space, table),
      governance: options.govern?.(table, space, {
        params: call.params,
        body: call.body as Read<S['body']>,
        caller,
      }),
    }
    for (const read of Object.values(started)) read?.catch(() => undefined)
    return started
  }
}

/** Layer 5: a success without its committed artifact becomes a 500. */
const record = (route: Route): Layer => ({
  after: ({ event: { call }, response }) => {
    if (typeof route.evidence === 'object' && 'none' in route.evidence) return
    const types: readonly string[] = [route.evidence].flat()
    const unchanged = response instanceof HttpResponse && (response.unchanged || response.status >= 300)
    if (!unchanged && !call.ctx?.table.committed.some((type) => types.includes(type))) {
      throw new Error(`${route.id} succeeded without its artifact`)
    }
  },
})

type Query = Record<string, string>

/** Links of lists (RFC 8288) to their first and next page. They are relative to the request, so they are valid behind every host name. */
export const links = ({ method }: Route): Layer => ({
  after: (request) => {
    const { event, response } = request
    if (method !== 'GET' || !(response instanceof HttpResponse) || response.status !== 200) return
    const next = nextOf(response)
    if (next === undefined) return
    const { cursor: _, offset, ...rest } = readQuery(event)
    const first = { ...rest, ...(offset !== undefined && cursorless(event.call.query) && { offset: '0' }) }
    const Link = [link(first, 'first'), ...(next ? [link({ ...rest, ...next }, 'next')] : [])].join(', ')
    request.response = new HttpResponse(response.status, response.body, {
      unchanged: response.unchanged,
      follow: response.follow,
      headers: { ...response.headers, Link },
    })
  },
})

const link = (query: Query, rel: string): string => `<?${new URLSearchParams(query).toString()}>; rel="${rel}"`

/** With both parameters the cursor wins. */
const cursorless = (query: unknown): boolean => (query as { cursor?: string }).cursor === undefined

type Page = {
  items: unknown[]
  next_cursor?: string | null
  limit?: number
  offset?: number
  total: number
  total_is_lower_bound?: true
}

/** The query of the next page: null on the last page, undefined where there is no list. */
function nextOf({ body, headers }: HttpResponse): Query | null | undefined {
  const further = headers['X-Next-Cursor'] // of a list that is a table of text
  if (further !== undefined) return { cursor: further }
  if (!isPage(body)) return undefined
  const { items, next_cursor: cursor, limit, offset, total, total_is_lower_bound: atLeast } = body
  if (cursor !== undefined) return cursor === null ? null : { cursor }
  if (offset === undefined || limit === undefined) return undefined
  const from = offset + items.length
  const more = total > from || (atLeast === true && items.length === limit)
  return more && items.length > 0 && from <= OFFSET_MAX ? { offset: String(from) } : null
}

const isPage = (body: unknown): body is Page =>
  typeof body === 'object' && body !== null && 'items' in body && Array.isArray(body.items) && 'total' in body
