// One request on its way through the layers. Each layer only adds fields for the layers after it.
import * as z from 'zod'
import type { Context, RequestIds } from '../context.ts'
import type { Verdict } from '../limits/window.ts'
import type { Stored } from '../table/entity.ts'
import { spaceMembers } from '../table/members.ts'
import type { Tenant } from '../tenant/tenant.ts'
import type { JsonObject } from './parse-body.ts'
import type { Headers, RestEvent } from './rest-event.ts'
import type { RateCategory } from './route.ts'
import { Failure } from '../lib/failure.ts'

/**
 * The input and the answer of a route. `body` is a strict object; so is `query`, unless the row has `looseQuery`. The response
 * schema strips unknown members. `versioned`: a read answers the ETag, and a change may name the version it is meant for. `bodyNamed`:
 * of a body with alternatives, the one that a member of the body names, so that a refusal speaks of no other.
 */
export type Shapes = {
  query?: z.ZodObject
  body?: z.ZodType
  bodyNamed?: (sent: JsonObject) => z.ZodType
  response: z.ZodType
  versioned?: boolean
}

/** The first request with an Idempotency-Key, and its answer once that is known. */
export const Remembered = z.object({
  ...spaceMembers,
  digest: z.string(),
  fingerprint: z.string(),
  /** The resource that the first request created or changed. */
  ref: z.string().optional(),
  /** The caller of the first request. Others get no part of its answer. */
  caller: z.string().optional(),
  /** The person who is accountable for it; the credential when there is none. */
  person: z.string().optional(),
  status: z.int().optional(),
  /** Location and version of the resource. */
  headers: z.record(z.string(), z.string()).optional(),
  /** The first answer as JSON text, sealed where it holds a secret. */
  body: z.string().optional(),
  expires_at: z.string(),
})
export type Remembered = z.output<typeof Remembered>

/** Reads that start together with the check of the credential. The layer that needs a result awaits it. */
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
  /** Time of arrival (ms). */
  at: number
  headers: Headers
  /** As it was sent. The gateway passes over a slash at its end. */
  path: string
  params: Record<string, string>
  query: unknown
  body: unknown
  /** The body of a row with `raw`. */
  bytes?: Buffer
  /** The body as it was sent, without defaults. */
  sent: JsonObject
  idempotencyKey?: string
  /** The version that the client named for a change of a versioned resource. */
  version?: number | undefined
  /** Reads the credential again; throws when it is no longer valid. Absent on open routes. */
  recheck?: () => Promise<void>
  ctx?: Context
  started?: Started<G>
  /** Actions that the quota of the period has left, where they are few. */
  quotaLeft?: number
  rate?: { verdict: Verdict; category: Exclude<RateCategory, 'none'> }
  /** Work in parallel to the operation. The answer waits for it, because a frozen container would not finish it. */
  beside: Promise<unknown>[]
}

/** The output of a streamed answer: the part of Node's writable streams that Lambda also has. */
export type Sink = {
  write: (text: string) => unknown
  destroy: () => unknown
  /** True while the reader has not taken what was written. */
  readonly writableNeedDrain: boolean
  readonly destroyed: boolean
}

/** Writes the rest of a streamed answer after its first bytes; resolves at its end. */
export type Follow = (sink: Sink) => Promise<void>

/** A handler returns this instead of a plain body for another status, further headers, or a text that is not JSON. */
export class HttpResponse {
  readonly status: number
  readonly body: unknown
  readonly headers: Record<string, string>
  /** Nothing changed, so no artifact is expected: a repeat, or a state that was already reached. */
  readonly unchanged: boolean
  /** Set on streamed answers only, whose body is just the beginning. */
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

/** An outcome that is not a failure, although its status may look like one. */
export const httpResponse = (status: number, body: unknown, headers?: Record<string, string>): HttpResponse =>
  new HttpResponse(status, body, { ...(headers && { headers }) })

/** The answer to a repeat that had nothing left to do: the same body, and nothing is recorded. */
export const unchanged = (body: unknown, status = 200): HttpResponse =>
  new HttpResponse(status, body, { unchanged: true })

/** Thrown by a layer that already has the answer, because middy skips the outer layers after an early return. */
export class EarlyResponse extends Error {
  readonly answer: HttpResponse

  constructor(known: HttpResponse) {
    super('a layer has already answered')
    this.answer = known
  }
}

/** The event with the call that the outermost layer attaches to it. */
export type Incoming = RestEvent & { call: Call }

export type LayerRequest = {
  event: Incoming
  response: unknown
  error: unknown
}

/** One layer around a handler, as middy expects it. */
export type Layer = {
  before?: (request: LayerRequest) => unknown
  after?: (request: LayerRequest) => unknown
  onError?: (request: LayerRequest) => unknown
}

/** The one answer to a credential that is missing, invalid or expired. */
export const unauthenticated = (): Failure =>
  new Failure('unauthenticated', 'Your credentials are invalid or expired. Sign in again or use another key.', {
    headers: {
      'WWW-Authenticate': `Bearer realm="countersign", resource_metadata="${process.env.BASE_URL}/.well-known/oauth-protected-resource"`,
    },
  })
