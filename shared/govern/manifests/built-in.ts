// Nodes of the service itself: no tenant registers them, every tenant has them.
import { CUSTOM_NAME } from '../../base/catalog/measure-words.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import type { Endpoint, Node } from './manifest.ts'
import type { NodeVersion } from './node.ts'

export const RUNNER_NODE_ID = 'agent.command.runner'
export const RUNNER_ACTION_ID = 'run'
export const CUSTOM_NODE_ID = 'platform.metrics.custom'

const run: Endpoint = {
  action_id: RUNNER_ACTION_ID,
  description: 'Run a command of an agent.',
  approval_required: false,
  idempotency: false,
}

/** A task of `/agent/execute` is an execution of this node. It is brokered: the command is data and is never run here. */
const runner: Node = {
  id: RUNNER_NODE_ID,
  name: 'Agent commands',
  version: '1.0.0',
  owner: 'countersign',
  category: 'agent',
  endpoints: [run],
}

const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

const push: Endpoint = {
  action_id: 'push',
  description: 'Count events of your own: of `total`, `good` were good.',
  approval_required: false,
  idempotency: false,
  kind: 'monitor',
  input_schema: {
    type: 'object',
    required: ['metrics'],
    additionalProperties: false,
    properties: {
      metrics: {
        type: 'array',
        minItems: 1,
        maxItems: 20,
        items: {
          type: 'object',
          required: ['name', 'good', 'total'],
          additionalProperties: false,
          properties: { name: { type: 'string', pattern: CUSTOM_NAME.source }, good: count, total: count },
        },
      },
    },
  },
}

/** What a tenant counts itself goes through governance like everything that an agent does. */
const customMetrics: Node = {
  id: CUSTOM_NODE_ID,
  name: 'Custom metrics',
  version: '1.0.0',
  owner: 'countersign',
  category: 'metrics',
  endpoints: [push],
}

function builtIn(node: Node) {
  const manifest = canonicalJson({ protocol_version: '1.0', node })
  const stored: NodeVersion = {
    tenant_id: 'platform',
    mode: 'live',
    node_id: node.id,
    version: node.version,
    manifest,
    manifest_sha256: sha256Hex(manifest),
    listing_tier: 'platform',
    trusted: true,
    registered_by: { type: 'system', id: 'system' },
    created_at: '2026-11-20T00:00:00.000Z',
  }
  return { stored, node, endpoints: new Map(node.endpoints.map((endpoint) => [endpoint.action_id, endpoint])) }
}

const BUILT_IN = new Map([runner, customMetrics].map((node) => [node.id, builtIn(node)]))

export const builtInNode = (nodeId: string) => BUILT_IN.get(nodeId)
