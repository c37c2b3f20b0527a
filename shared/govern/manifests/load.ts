// Loads the action of a request from the node's latest manifest, and the action of an execution from its version. Versions never
// change, so a process reads and parses each once. The head, which names the latest version, is read every time. Nodes of the service
// itself are in no table: no tenant registers them, every tenant has them.
import type { Space } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { memory } from '../../base/lib/memory.ts'
import type { Table } from '../../base/table/table.ts'
import type { Endpoint, Node } from './manifest.ts'
import { type NodeHead, nodeHeads, type NodeVersion, nodeVersions } from './node.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { PLATFORM_NODES } from './platform-nodes.ts'

export type LoadedAction = {
  node: Node
  endpoint: Endpoint
  manifest_sha256: string
  listing_tier: string
  /** Declared kinds may loosen the classifier's reading. */
  trusted: boolean
  /** Absent unless a person who may write policies has said it: without it, policies that read it are unknown. */
  environment?: Node['environment']
  target: Endpoint['target']
  /** Sealed static headers of the target, and sealed signing secrets of the node. */
  sealed_headers: string | undefined
  secrets: NodeHead['secrets']
}

export type LoadedVersion = { stored: NodeVersion; node: Node; endpoints: Map<string, Endpoint> }

const kept = memory<LoadedVersion>(500)

/** 404 for an unknown node and for an action that its latest version does not have. */
export async function loadAction(table: Table, space: Space, nodeId: string, actionId: string): Promise<LoadedAction> {
  const { latest, head } = await findLatest(table, space, nodeId)
  if (!latest) throw notFound('node')
  const action = actionIn(latest, actionId, head)
  if (!action) throw notFound('action')
  return action
}

/** Undefined when the node is gone, or its latest version has no such action. */
export async function findAction(table: Table, space: Space, nodeId: string, actionId: string) {
  const { latest, head } = await findLatest(table, space, nodeId)
  return latest && actionIn(latest, actionId, head)
}

/** The action of an execution, which may belong to a former version. The signing secrets are those in use now. */
export async function loadActionOf(
  table: Table,
  space: Space,
  { node_id, version, action_id }: { node_id: string; version: string; action_id: string },
): Promise<LoadedAction> {
  const [head, registered] = await Promise.all([
    table.get(nodeHeads, { ...space, node_id }),
    loadVersion(table, space, node_id, version),
  ])
  const action = registered && actionIn(registered, action_id, head)
  if (!action) throw new Error(`version ${version} of ${node_id} has lost its action ${action_id}`)
  return action
}

/** The latest version of a node, and its head unless it is one of the service's own. */
export async function findLatest(table: Table, space: Space, nodeId: string) {
  const ours = builtInNode(nodeId)
  if (ours) return { latest: ours, head: undefined }
  const head = await table.get(nodeHeads, { ...space, node_id: nodeId })
  return { latest: head && (await loadVersion(table, space, nodeId, head.latest)), head }
}

function actionIn({ stored, node, endpoints }: LoadedVersion, actionId: string, head: NodeHead | undefined) {
  const endpoint = endpoints.get(actionId)
  return (
    endpoint && {
      node,
      endpoint,
      manifest_sha256: stored.manifest_sha256,
      listing_tier: stored.listing_tier,
      trusted: stored.trusted,
      environment: stored.trusted || head?.environment === node.environment ? node.environment : undefined,
      target: endpoint.target,
      sealed_headers: stored.headers?.[actionId],
      secrets: head?.secrets ?? [],
    }
  )
}

/** One version as it was registered; undefined when there is none. */
export async function loadVersion(table: Table, space: Space, nodeId: string, version: string) {
  const ours = builtInNode(nodeId)
  if (ours) return ours.stored.version === version ? ours : undefined
  const name = `${space.tenant_id}/${space.mode}/${nodeId}/${version}`
  const known = kept.get(name)
  if (known) return known
  const stored = await table.get(nodeVersions, { ...space, node_id: nodeId, version })
  if (!stored) return undefined
  const loaded = parse(stored)
  kept.set(name, loaded)
  return loaded
}

function parse(stored: NodeVersion): LoadedVersion {
  const { node }: { node: Node } = JSON.parse(stored.manifest)
  return withEndpoints(stored, node)
}

const withEndpoints = (stored: NodeVersion, node: Node): LoadedVersion => ({
  stored,
  node,
  endpoints: new Map(node.endpoints.map((endpoint) => [endpoint.action_id, endpoint])),
})

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

function builtIn(node: Node): LoadedVersion {
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
  return withEndpoints(stored, node)
}

const BUILT_IN = new Map([runner, ...PLATFORM_NODES].map((node) => [node.id, builtIn(node)]))

/** All nodes of the service itself. */
export const builtInNodes = (): Node[] => [...BUILT_IN.values()].map(({ node }) => node)

export const builtInNode = (nodeId: string) => BUILT_IN.get(nodeId)
