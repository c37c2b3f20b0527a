// The members of an action, and of the node that offers it, that the rules read. The schema of a manifest has them as well and checks them
// at registration; the rules are a layer below manifests and know only these.
import type { KIND_NAMES } from '../../base/catalog/kinds.ts'
import type { ENVIRONMENTS } from './conditions/fact-list.ts'

type Optional<T> = { [K in keyof T]?: T[K] | undefined }

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Hints of the author, as in MCP. */
type Annotations = Optional<{
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
  irreversible: boolean
}>

type Target =
  | ({ type: 'http'; url: string } & Optional<{
      method: Exclude<Method, 'GET' | 'HEAD'>
      headers: Record<string, string>
    }>)
  | ({
      type: 'connection'
      connector_id: string
      method: Method
      path: string
    } & Optional<{ host: string; content_type: string; graphql: string }>)

/** One action of a manifest. */
export type Endpoint = { action_id: string } & Optional<{
  description: string
  approval_required: boolean
  idempotency: boolean
  kind: Exclude<(typeof KIND_NAMES)[number], 'unknown'>
  annotations: Annotations
  input_schema: Record<string, unknown>
  undo_action_id: string
  undo: { exact_inverse: true; id_from: string }
  target: Target
  min_tier: 'SOFT' | 'HARD'
  sandbox_response: Record<string, unknown>
}>

/** The version of a node that offers an action. */
export type Node = { id: string; name: string; version: string; endpoints: readonly Endpoint[] } & Optional<{
  owner: string
  category: string
  environment: (typeof ENVIRONMENTS)[number]
}>
