// The body of a manifest registration: its shape, and the rules that hold between its fields. Nothing here needs storage.
import * as z from 'zod'
import { KIND_NAMES, PROTOCOL_VERSIONS } from '../../base/catalog/kinds.ts'
import { ENVIRONMENTS } from '../governance/conditions/fact-list.ts'
import { maybe } from '../governance/rule-terms.ts'
import { displayName, plainText } from '../../base/wire/fields.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { SEMVER } from '../../base/lib/names.ts'
import { type ConnectionTarget, OWN_HEADERS } from './connection-target.ts'
import { inputSchemaProblems } from './input-schema-limits.ts'
import { NODE_ID } from './node.ts'
import { inverseProblems } from './describe.ts'

const RESERVED = /^(?:platform\.|agent\.command\.|integration\.)/i
const ACTION_ID = /^[A-Za-z][A-Za-z0-9_.:-]{0,127}$/
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

type Issue = { path: (string | number)[]; message: string }

/** A zod check that reports what a rule finds, at the place where it finds it. */
const holds =
  <T>(rule: (value: T) => Iterable<Issue>) =>
  ({ value, issues }: z.core.ParsePayload<T>) => {
    for (const issue of rule(value)) issues.push({ code: 'custom', input: value, continue: true, ...issue })
  }

const nodeId = z
  .string()
  .regex(NODE_ID, 'must match namespace.category.name')
  .refine((id) => !RESERVED.test(id), 'platform.*, agent.command.* and integration.* are reserved')

const actionId = z.string().regex(ACTION_ID, 'must match ^[A-Za-z][A-Za-z0-9_.:-]{0,127}$')

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
const HEADER_VALUE = /^[\t\x20-\x7e]{0,4096}$/

function* headerIssues(headers: Record<string, string>): Generator<Issue> {
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) yield { path: [name], message: 'must be a header name' }
    if (OWN_HEADERS.test(name)) yield { path: [name], message: 'is set by the service' }
    if (!HEADER_VALUE.test(value)) yield { path: [name], message: 'must be printable ASCII' }
  }
}

const isHttpUrl = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

/** Nobody writes another target by hand: that would aim a tenant's connection wherever its author likes. */
const target = z.strictObject({
  type: z
    .literal('http', 'must be http; other targets are written by connector publish')
    .describe('How the action is called.'),
  url: z
    .string()
    .max(2048)
    .refine(isHttpUrl, 'must be an absolute URL')
    .meta({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?:' })
    .describe('The address that runs the action.'),
  /** POST when absent. */
  method: maybe(z.enum(['POST', 'PUT', 'PATCH', 'DELETE'])).describe('HTTP method of the call.'),
  headers: maybe(
    z
      .record(z.string(), z.string())
      .refine((headers) => Object.keys(headers).length <= 32, 'must hold at most 32 headers')
      .check(holds(headerIssues))
      .meta({
        maxProperties: 32,
        propertyNames: { pattern: HEADER_NAME.source },
        additionalProperties: { type: 'string', pattern: HEADER_VALUE.source },
      }),
  ).describe('Header fields to send.'),
  /** 10,000 when absent. */
  timeout_ms: maybe(z.int().min(1000).max(20_000)).describe('How long the target has to answer, in ms.'),
})

const annotations = z.strictObject({
  readOnlyHint: maybe(z.boolean()).describe('Whether the action changes nothing.'),
  destructiveHint: maybe(z.boolean()).describe('Whether the action may destroy something.'),
  idempotentHint: maybe(z.boolean()).describe('Whether a repeated call has no further effect.'),
  openWorldHint: maybe(z.boolean()).describe('Whether the action reaches systems outside.'),
  irreversible: maybe(z.boolean()).describe('Whether the action cannot be undone.'),
})

const object = z.record(z.string(), z.unknown())

const RegisteredEndpoint = z.strictObject({
  action_id: actionId.describe('Id of the action in its manifest.'),
  description: maybe(z.string().max(2000)).describe('A description for people.'),
  approval_required: maybe(z.boolean()).describe('Whether the action always needs an approval.'),
  /** The target honours `Idempotency-Key`, so a repeat is safe. */
  idempotency: maybe(z.boolean()).describe('Whether the target carries out a repeated call only once.'),
  kind: maybe(z.enum(KIND_NAMES).exclude(['unknown'])).describe('The kind of the action.'),
  annotations: maybe(annotations).describe(
    'Hints about the action, as in the Model Context Protocol. They can only tighten.',
  ),
  input_schema: maybe(object.check(holds(inputSchemaProblems))).describe(
    'JSON Schema of the payload: 2020-12, or 2019-09 and draft-07 where nothing in it differs. `multipleOf` divides decimals exactly.',
  ),
  undo_action_id: maybe(actionId).describe('Id of the action of the same node that undoes this one.'),
  /** The two are exact inverses: the undo action gets the id that the target's output names. */
  undo: maybe(
    z.strictObject({
      exact_inverse: z
        .literal(true)
        .describe('True. The names of both actions must show it, as create_x and delete_x do.'),
      id_from: z
        .string()
        .max(256)
        .describe('JSON pointer into the output of the target, to the id that the undo action gets.'),
    }),
  ).describe(
    'Declares that the action and its undo action are exact inverses. Then the undo action may be of a HARD kind, and runs at once where the target answered 201 and is asked at the same server; else it is held.',
  ),
  target: maybe(target).describe('How to call the action. Without a target the caller runs the action.'),
  min_tier: maybe(z.enum(['SOFT', 'HARD'])).describe('The lowest tier that the action may have.'),
  sandbox_response: maybe(object).describe('The response of the sandbox.'),
})

export type HttpTarget = z.output<typeof target>

/** One action. No default is filled in: what is stored and hashed is what the author sent. */
export type Endpoint = Omit<z.output<typeof RegisteredEndpoint>, 'target'> & {
  target?: HttpTarget | ConnectionTarget | undefined
}

/** What must hold between the actions of one version. */
function* endpointIssues(endpoints: readonly Endpoint[]): Generator<Issue> {
  const seen = new Set<string>()
  const known = new Set(endpoints.map(({ action_id }) => action_id))
  for (const [i, endpoint] of endpoints.entries()) {
    const { action_id, undo_action_id } = endpoint
    for (const { path, message } of inverseProblems(endpoint)) yield { path: [i, ...path], message }
    if (seen.has(action_id)) yield { path: [i, 'action_id'], message: 'must be unique' }
    seen.add(action_id)
    if (undo_action_id === undefined) continue
    const isOther = known.has(undo_action_id) && undo_action_id !== action_id
    if (!isOther) yield { path: [i, 'undo_action_id'], message: 'must name another action of this version' }
  }
}

const RegisteredNode = z.strictObject({
  id: nodeId.describe('Id of the node, as `namespace.category.name`.'),
  name: displayName(120).describe('A name for people.'),
  version: z
    .string()
    .regex(SEMVER, 'must match major.minor.patch')
    .describe('Version of the manifest: `major.minor.patch`. A registered version never changes.'),
  owner: maybe(displayName(120)).describe('Who is responsible for the node.'),
  category: maybe(plainText(120)).describe('The category of the item.'),
  environment: maybe(z.enum(ENVIRONMENTS)).describe(
    'What the node is for. Policies can read it once a person who may write policies has registered it.',
  ),
  endpoints: z
    .array(RegisteredEndpoint)
    .min(1)
    .max(200)
    .check(holds(endpointIssues))
    .describe('The actions of the node.'),
})
export type Node = Omit<z.output<typeof RegisteredNode>, 'endpoints'> & { endpoints: Endpoint[] }

/** A version is one item of the table, which holds the headers of targets twice: masked, and sealed. */
export const BYTES_MAX = 262_144

/** How much of its item a manifest takes. */
export function bytesOf(manifest: { node: Node }): number {
  const headers = manifest.node.endpoints.map(({ target: to }) => (to?.type === 'http' && to.headers) || {})
  return Buffer.byteLength(canonicalJson(manifest)) + Buffer.byteLength(canonicalJson(headers))
}

function* sizeIssues(manifest: { node: Node }): Generator<Issue> {
  if (bytesOf(manifest) > BYTES_MAX)
    yield { path: [], message: `must not exceed ${BYTES_MAX} bytes, headers of targets counted twice` }
}

const RegisteredManifest = z
  .strictObject({
    protocol_version: z.literal(PROTOCOL_VERSIONS).describe('Version of the manifest format.'),
    node: RegisteredNode.describe('The node.'),
  })
  .check(holds(sizeIssues))
export type Manifest = Omit<z.output<typeof RegisteredManifest>, 'node'> & { node: Node }

const DEFAULT_LISTING = { listing_tier: 'development', rotate_signing_secret: false }

const registry = z.strictObject({
  listing_tier: maybe(z.string().regex(SLUG, 'must be a slug')).describe(
    'The trust level of the node in the registry.',
  ),
  /** Makes a new signing secret; the former one signs beside it for 24 hours. */
  rotate_signing_secret: maybe(z.boolean()).describe(
    'Whether to create a new secret for calls to the targets of the node.',
  ),
})

/** The body of register and validate. */
export const registrationBody = z.strictObject({
  manifest: RegisteredManifest.describe('The manifest of the node.'),
  registry: maybe(registry)
    .transform((given) => ({
      listing_tier: given?.listing_tier ?? DEFAULT_LISTING.listing_tier,
      rotate_signing_secret: given?.rotate_signing_secret ?? DEFAULT_LISTING.rotate_signing_secret,
    }))
    .describe('The entry of the node in the registry.'),
})
export type Registration = Omit<z.output<typeof registrationBody>, 'manifest'> & { manifest: Manifest }
