// One request on its way through the layers. Each layer adds what it found out; none looks behind.
import type * as z from 'zod'
import type { Context, RequestIds } from '../context.ts'
import type { Verdict } from '../limits/window.ts'
import type { Stored } from '../table/entity.ts'
import type { Tenant } from '../tenant/tenant.ts'
import type { JsonObject } from './parse-body.ts'
import type { Headers, RestEvent } from './rest-event.ts'
import type { RateCategory } from './route.ts'
import type { Remembered } from '../../edge/once.ts'

/**
 * What a route accepts and answers. `body` is a strict object, so is `query` but where the row says otherwise, and the reply
 * schema strips. `versioned`: the resource has versions, so a reading answers its tag and a change may name the one it is
 * meant for.
 */
export type Shapes = { query?: z.ZodObject; body?: z.ZodType; response: z.ZodType; versioned?: boolean }

/** Reads that begin together with the check of the credential; each is awaited by the layer that needs it. */
export type Started<G> = {
  tenant: Promise<Tenant>
  rate: Promise<Verdict>
  remembered: Promise<Stored<Remembered> | undefined> | undefined
  governance: Promise<G> | undefined
}

export type Call<G = unknown> = {
  ids: RequestIds
  ip: string
  userAgent: string
  /** When it arrived (ms). */
  at: number
  headers: Headers
  params: Record<string, string>
  query: unknown
  body: unknown
  /** The body as it was sent, before any default was filled in. */
  sent: JsonObject
  idempotencyKey?: string
  /** The version that a change of a versioned resource named. */
  version?: number | undefined
  /** Reads the credential again; throws when it has become invalid. Absent on open routes. */
  recheck?: () => Promise<void>
  ctx?: Context
  started?: Started<G>
  rate?: { verdict: Verdict; category: Exclude<RateCategory, 'none'> }
  /** Work beside the operation; the answer waits for it, since a frozen container would not finish it. */
  beside: Promise<unknown>[]
}

/** Where an answer that is streamed goes on: the part of Node's writable streams that Lambda has, too. */
export type Sink = {
  write: (text: string) => unknown
  destroy: () => unknown
  /** The reader is slower than what was written. */
  readonly writableNeedDrain: boolean
  readonly destroyed: boolean
}

/** Writes what comes after the first body, and resolves when the answer is over. */
export type Follow = (sink: Sink) => Promise<void>

/** What a handler may return instead of a plain body: another status, headers, or a text that is not JSON. */
export class HttpResponse {
  readonly status: number
  readonly body: unknown
  readonly headers: Record<string, string>
  /** Nothing was changed, so no artifact is expected: a repeat, or a state that was already reached. */
  readonly unchanged: boolean
  /** Routes that stream only: their body is but the beginning. */
  readonly follow: Follow | undefined

  constructor(
    status: number,
    body: unknown,
    options: { headers?: Record<string, string>; unchanged?: boolean; follow?: Follow | undefined } = {},
  ) {
    this.status = status
    this.body = body
    this.headers = options.headers ?? {}
    this.unchanged = options.unchanged ?? false
    this.follow = options.follow
  }
}

/** An outcome that is not a failure although its status may say so (http-conventions: outcomes are not failures). */
export const httpResponse = (status: number, body: unknown, headers?: Record<string, string>): HttpResponse =>
  new HttpResponse(status, body, { ...(headers && { headers }) })

/** A repeat that found everything done: same body, nothing recorded again. */
export const unchanged = (body: unknown, status = 200): HttpResponse =>
  new HttpResponse(status, body, { unchanged: true })

/** Thrown by a layer that already knows the answer: middy would skip the outer layers of an early return. */
export class EarlyResponse extends Error {
  readonly answer: HttpResponse

  constructor(known: HttpResponse) {
    super('answered early')
    this.answer = known
  }
}

/** The event with the call that the outermost layer attached to it. */
export type Incoming = RestEvent & { call: Call }

export type LayerRequest = {
  event: Incoming
  response: unknown
  error: unknown
}

/** One of the layers around every handler, in middy's shape. */
export type Layer = {
  before?: (request: LayerRequest) => unknown
  after?: (request: LayerRequest) => unknown
  onError?: (request: LayerRequest) => unknown
}
