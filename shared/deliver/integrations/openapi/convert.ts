// A document becomes groups of actions, each the content of one node. Pure: the same document gives the same actions.
import type { ConnectionTarget } from '../../../govern/manifests/connection-target.ts'
import { bodyOf } from './body.ts'
import { inputSchemaOf } from './input-schema.ts'
import { isObject, member, Skipped, textAt } from './resolve.ts'
import { actionIdOf, groupOf } from './names.ts'
import { descriptionOf, nameOf, type Operation, operationsOf, skippedBy, type SkippedOperation } from './operations.ts'
import { mustBeUsablePath, parametersOf } from './parameters.ts'
import type { Document } from './read-document.ts'
import { prefixOf } from './servers.ts'
import type { Simplification } from './keywords.ts'
import type { Endpoint } from '../../../govern/manifests/manifest.ts'
import { isStricter, maxTier, type Tier, TIERS } from '../../../base/catalog/kinds.ts'
import { mayRead, type WireFloor, wireFloors } from '../../../govern/governance/words/wire.ts'

export type Converted = {
  /** `GET /path` */
  operation: string
  group: string
  endpoint: PublishedEndpoint
  floors: TierReason[]
  /** Published only when it is chosen by name. */
  deprecated: boolean
  /** Its schema lost members to become small enough. */
  simplified: boolean
  /** What of the operation its action does not say: a payload is accepted that the document refuses, or a part cannot be sent. */
  simplifications: Simplification[]
}

export type Conversion = { operations: Converted[]; skipped: SkippedOperation[] }

/** `baseUrl`: of the connector. One in which each account has a host of its own names none. */
export function convert(document: Document, connectorId: string, baseUrl = ''): Conversion {
  const host = URL.parse(baseUrl)?.host || undefined
  const { operations, skipped } = operationsOf(document)
  const taken = new Set<string>()
  const converted: Converted[] = []
  for (const operation of operations) {
    const action_id = actionIdOf(operation, taken) // also of one that is skipped, so that others keep their names
    try {
      converted.push(convertOne(document, operation, { action_id, connectorId, host, baseUrl }))
    } catch (error) {
      if (!(error instanceof Skipped)) throw error
      skipped.push(skippedBy(nameOf(operation), error))
    }
  }
  return { operations: converted, skipped }
}

type As = { action_id: string; connectorId: string; host: string | undefined; baseUrl: string }

function convertOne(document: Document, operation: Operation, as: As): Converted {
  const { action_id, connectorId, host } = as
  const { of } = operation
  const graphql = graphqlOf(operation)
  const prefix = prefixOf(document, operation.servers, as.baseUrl)
  const path = prefix + (graphql?.path ?? operation.path)
  mustBeUsablePath(path)
  const { parameters, leftOut } = parametersOf(document, operation)
  const body = bodyOf(document, operation)
  const { input_schema, simplified, simplifications } = inputSchemaOf(document, { parameters, body })
  const floors = floorsOf({ ...operation, path: prefix + operation.path })
  const description = descriptionOf(of)
  const target: ConnectionTarget = {
    type: 'connection',
    connector_id: connectorId,
    ...(host !== undefined && { host }),
    method: operation.method,
    path,
    ...(body && { content_type: body.content_type }),
    ...(body?.encoding && { encoding: body.encoding }),
    params: parameters.map(({ name, in: place, style, explode, reserved }) => ({
      name,
      in: place,
      style,
      explode,
      ...(reserved && { reserved }),
    })),
    ...(graphql && { graphql: graphql.document }),
  }
  return {
    operation: nameOf(operation),
    group: groupOf(operation),
    endpoint: {
      action_id,
      ...(description && { description }),
      ...governanceOf(operation, floors),
      input_schema,
      target,
    },
    floors,
    deprecated: isObject(of) && member(of, 'deprecated') === true,
    simplified,
    simplifications: [
      ...simplifications,
      ...(leftOut ? ['parameters' as const] : []),
      ...(ignoresBody(operation) ? ['body' as const] : []),
    ],
  }
}

/** HTTP gives the body of these no meaning. One that is required is skipped. */
const ignoresBody = ({ method, of }: Operation) =>
  (method === 'GET' || method === 'HEAD') && member(of, 'requestBody') !== undefined

/** An action of a published node. */
type PublishedEndpoint = Pick<
  Endpoint,
  'action_id' | 'description' | 'idempotency' | 'kind' | 'min_tier' | 'approval_required'
> & { input_schema: Record<string, unknown>; target: ConnectionTarget }

// The lowest tier of an operation. What a document says of itself can raise it and never lower it.

type TierReason = { signal: 'document_tier' | WireFloor['signal']; value: string; floor: Tier }

const readsAs = (operation: Operation) => mayRead({ ...operation, graphql: graphqlOf(operation)?.document })
const isReading = (operation: Operation): boolean => readsAs(operation) === true

function floorsOf(operation: Operation): TierReason[] {
  const { method, of, path, tiers } = operation
  const said = maxTier(
    ...TIERS.filter((tier) => tiers.some((given) => typeof given === 'string' && tier === given.toUpperCase())),
  )
  return [
    ...wireFloors({ method, path, name: textAt(of, 'operationId'), reads: readsAs(operation) }),
    ...(said && isStricter(said, 'AUTO') ? [{ signal: 'document_tier', value: said, floor: said } as const] : []),
  ]
}

/** What an action declares of its tier and kind. */
function governanceOf(operation: Operation, floors: readonly TierReason[]) {
  const tier = maxTier(...floors.map(({ floor }) => floor))
  return {
    idempotency: isReading(operation) || operation.method === 'PUT' || operation.method === 'DELETE',
    ...(isReading(operation) && { kind: 'read' as const }),
    ...(tier === 'HARD' && { approval_required: true, min_tier: tier }),
    ...(tier === 'SOFT' && { min_tier: tier }),
  }
}

// Operations that send a GraphQL document. An extension names it: the document itself, or `{document, path}` where several
// operations of a connector are sent to one path. The body of such an operation holds the variables.

export type Graphql = { document: string; path: string | undefined }

function graphqlOf({ of, method }: Operation): Graphql | undefined {
  if (method !== 'POST') return undefined
  const given = member(of, 'x-graphql')
  if (typeof given === 'string') return { document: given, path: undefined }
  const document = isObject(given) ? textAt(given, 'document') : undefined
  return isObject(given) && document !== undefined ? { document, path: textAt(given, 'path') } : undefined
}
