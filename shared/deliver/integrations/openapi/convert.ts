// A document becomes groups of actions, each the content of one node. Pure: the same document gives the same actions.
import type { ConnectionTarget } from '../../../govern/manifests/connection-target.ts'
import type { PublishedEndpoint } from './endpoint.ts'
import { bodyOf } from './body.ts'
import { graphqlOf } from './graphql.ts'
import { inputSchemaOf } from './input-schema.ts'
import { isObject, member } from './json-map.ts'
import { actionIdOf, groupOf } from './names.ts'
import { descriptionOf, nameOf, type Operation, operationsOf, type SkippedOperation } from './operations.ts'
import { parametersOf } from './parameters.ts'
import { mustBeUsablePath } from './path-template.ts'
import type { Document } from './read-document.ts'
import { Skipped } from './skipped.ts'
import { floorsOf, governanceOf, type TierReason } from './tier.ts'

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
      converted.push(convertOne(document, operation, { action_id, connectorId, host }))
    } catch (error) {
      if (!(error instanceof Skipped)) throw error
      skipped.push({ operation: nameOf(operation), reason: error.reason })
    }
  }
  return { operations: converted, skipped }
}

type As = { action_id: string; connectorId: string; host: string | undefined }

function convertOne(document: Document, operation: Operation, { action_id, connectorId, host }: As): Converted {
  const { of } = operation
  const graphql = graphqlOf(operation)
  const path = graphql?.path ?? operation.path
  mustBeUsablePath(path)
  const parameters = parametersOf(document, operation)
  const body = bodyOf(document, operation)
  const { input_schema, simplified } = inputSchemaOf(document, { parameters, body })
  const description = descriptionOf(of)
  const target: ConnectionTarget = {
    type: 'connection',
    connector_id: connectorId,
    ...(host !== undefined && { host }),
    method: operation.method,
    path,
    ...(body && { content_type: body.content_type }),
    params: parameters.map(({ name, in: place, style, explode }) => ({ name, in: place, style, explode })),
    ...(graphql && { graphql: graphql.document }),
  }
  return {
    operation: nameOf(operation),
    group: groupOf(operation),
    endpoint: { action_id, ...(description && { description }), ...governanceOf(operation), input_schema, target },
    floors: floorsOf(operation),
    deprecated: isObject(of) && member(of, 'deprecated') === true,
    simplified,
  }
}
