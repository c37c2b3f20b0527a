// Nodes of the service itself: no tenant registers them, every tenant has them.
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import type { Endpoint, Node } from './manifest.ts'
import type { NodeVersion } from './node.ts'

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

const stored: NodeVersion = {
  tenant_id: 'platform',
  mode: 'live',
  node_id: RUNNER_NODE_ID,
  version: runner.version,
  manifest: canonicalJson({ protocol_version: '1.0', node: runner }),
  manifest_sha256: sha256Hex(canonicalJson({ protocol_version: '1.0', node: runner })),
  listing_tier: 'platform',
  trusted: true,
  registered_by: { type: 'system', id: 'system' },
  created_at: '2026-11-20T00:00:00.000Z',
}

const parsed = { stored, node: runner, endpoints: new Map([[RUNNER_ACTION_ID, run]]) }

export const builtInNode = (nodeId: string) => (nodeId === RUNNER_NODE_ID ? parsed : undefined)
