// Nodes of the service itself: no tenant registers them, every tenant has them.
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import type { Endpoint, Node } from './manifest.ts'
import type { NodeVersion } from './node.ts'
import { PLATFORM_NODES } from './platform-nodes.ts'

export const RUNNER_NODE_ID = 'agent.command.runner'
export const RUNNER_ACTION_ID = 'run'

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

const BUILT_IN = new Map([runner, ...PLATFORM_NODES].map((node) => [node.id, builtIn(node)]))

/** All of them. */
export const builtInNodes = (): Node[] => [...BUILT_IN.values()].map(({ node }) => node)

export const builtInNode = (nodeId: string) => BUILT_IN.get(nodeId)
