// The body of a manifest registration: its shape, and the rules that hold between its fields. Nothing here needs storage.
import * as z from 'zod'
import { KIND_NAMES } from '../governance/kinds.ts'
import { inputSchemaProblems } from './input-schema-limits.ts'

const NODE_ID = /^[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63}){2}$/
const RESERVED = /^(?:platform\.|agent\.command\.)/i
const VERSION = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/
const ACTION_ID = /^[A-Za-z][A-Za-z0-9_.:-]{0,127}$/
const CONTROL = /\p{Cc}/u

const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !CONTROL.test(text), 'must not hold control characters')

const nodeId = z
  .string()
  .refine((id) => NODE_ID.test(id), 'must match namespace.category.name')
  .refine((id) => !RESERVED.test(id), 'platform.* and agent.command.* are reserved')

const version = z
  .string()
  .max(17)
  .refine(
    (text) => VERSION.test(text) && text.split('.').every((part) => part.length <= 5),
    'must match major.minor.patch',
  )

const actionId = z.string().refine((id) => ACTION_ID.test(id), 'must match ^[A-Za-z][A-Za-z0-9_.:-]{0,127}$')

/** Headers that the service sets itself, or that belong to the connection (RFC 9110, 7.6.1). */
const OWN_HEADERS =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-.*|webhook-.*|x-webhook-.*|x-service-.*|idempotency-key|traceparent|tracestate)$/i

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
const HEADER_VALUE = /^[\t\x20-\x7e]{0,4096}$/

type Issue = { path: (string | number)[]; message: string }

function* headerIssues(headers: Record<string, string>): Generator<Issue> {
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) yield { path: [name], message: 'must be a header name' }
    if (OWN_HEADERS.test(name)) yield { path: [name], message: 'is set by the service' }
    if (!HEADER_VALUE.test(value)) yield { path: [name], message: 'must be printable ASCII' }
  }
}

/** A zod check that reports what a rule finds, at the place where it finds it. */
const holds =
  <T>(rule: (value: T) => Iterable<Issue>) =>
  ({ value, issues }: z.core.ParsePayload<T>) => {
    for (const issue of rule(value)) issues.push({ code: 'custom', input: value, ...issue })
  }

const target = z.strictObject({
  type: z
    .string()
    .refine((type) => type === 'http', 'must be http; connection targets are written by connector publish'),
  url: z
    .string()
    .max(2048)
    .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol), 'must be an http(s) URL'),
  /** POST when absent. */
  method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  headers: z
    .record(z.string(), z.string())
    .refine((headers) => Object.keys(headers).length <= 32, 'must hold at most 32 headers')
    .check(holds(headerIssues))
    .optional(),
  /** 10,000 when absent. */
  timeout_ms: z.int().min(1000).max(20_000).optional(),
})

const annotations = z.strictObject({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
  irreversible: z.boolean().optional(),
})

const object = z.record(z.string(), z.unknown())

export const Endpoint = z.strictObject({
  action_id: actionId,
  description: z.string().max(2000).optional(),
  approval_required: z.boolean().optional(),
  /** The target honours `Idempotency-Key`, so a repeat is safe. */
  idempotency: z.boolean().optional(),
  kind: z.enum(KIND_NAMES).exclude(['unknown']).optional(),
  annotations: annotations.optional(),
  input_schema: object.check(holds(inputSchemaProblems)).optional(),
  undo_action_id: actionId.optional(),
  target: target.optional(),
  min_tier: z.enum(['SOFT', 'HARD']).optional(),
  sandbox_response: object.optional(),
})

/** One action. Nothing is filled in: what is stored and hashed is what the author sent. */
export type Endpoint = z.infer<typeof Endpoint>

/** What must hold between the actions of one version. */
function* endpointIssues(endpoints: Endpoint[]): Generator<Issue> {
  const seen = new Set<string>()
  const known = new Set(endpoints.map(({ action_id }) => action_id))
  for (const [i, { action_id, undo_action_id }] of endpoints.entries()) {
    if (seen.has(action_id)) yield { path: [i, 'action_id'], message: 'must be unique' }
    seen.add(action_id)
    if (undo_action_id === undefined) continue
    const isOther = known.has(undo_action_id) && undo_action_id !== action_id
    if (!isOther) yield { path: [i, 'undo_action_id'], message: 'must name another action of this version' }
  }
}

export const Node = z.strictObject({
  id: nodeId,
  name: line(120),
  version,
  owner: line(120).optional(),
  category: line(120).optional(),
  endpoints: z.array(Endpoint).min(1).max(200).check(holds(endpointIssues)),
})

export type Node = z.infer<typeof Node>

export const Manifest = z.strictObject({ protocol_version: z.literal('1.0'), node: Node })

export type Manifest = z.infer<typeof Manifest>

export const registrationBody = z.strictObject({
  manifest: Manifest,
  registry: z
    .strictObject({
      listing_tier: z
        .string()
        .refine((slug) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(slug), 'must be a slug')
        .default('development'),
      rotate_signing_secret: z.boolean().default(false),
    })
    .default({ listing_tier: 'development', rotate_signing_secret: false }),
})

export type Registration = z.infer<typeof registrationBody>
