// The action that a request names, from the node's latest manifest. Versions never change, so a container reads and
// parses each of them once; which one is the latest is read every time.
import type { Space } from '../context.ts'
import { notFound } from '../lib/failure.ts'
import { remember } from '../lib/remember.ts'
import type { Table } from '../table/table.ts'
import { builtInNode } from './built-in.ts'
import type { Endpoint, Node } from './manifest.ts'
import { type NodeHead, nodeHeads, type NodeVersion, nodeVersions } from './node.ts'

export type LoadedAction = {
  node: Node
  endpoint: Endpoint
  manifest_sha256: string
  listing_tier: string
  /** Declared kinds may loosen the classifier's reading. */
  trusted: boolean
  target: Endpoint['target']
  /** Sealed static headers of the target, and sealed signing secrets of the node. */
  sealed_headers: string | undefined
  secrets: NodeHead['secrets']
}

type Parsed = { stored: NodeVersion; node: Node; endpoints: Map<string, Endpoint> }

const KEPT_MAX = 500
const kept = new Map<string, Parsed>()

/** 404 for an unknown node and for an action that its latest version does not have. */
export async function loadAction(table: Table, space: Space, nodeId: string, actionId: string): Promise<LoadedAction> {
  const head = builtInNode(nodeId) ? undefined : await table.get(nodeHeads, { ...space, node_id: nodeId })
  const parsed = builtInNode(nodeId) ?? (head && (await loadVersion(table, space, nodeId, head.latest)))
  if (!parsed) throw notFound('node')
  const endpoint = parsed.endpoints.get(actionId)
  if (!endpoint) throw notFound('action')
  return {
    node: parsed.node,
    endpoint,
    manifest_sha256: parsed.stored.manifest_sha256,
    listing_tier: parsed.stored.listing_tier,
    trusted: parsed.stored.trusted,
    target: endpoint.target,
    sealed_headers: parsed.stored.headers?.[actionId],
    secrets: head?.secrets ?? [],
  }
}

/** One version as it was registered; undefined when there is none. */
export async function loadVersion(table: Table, space: Space, nodeId: string, version: string) {
  const name = `${space.tenant_id}/${space.mode}/${nodeId}/${version}`
  const known = kept.get(name)
  if (known) return known
  const stored = await table.get(nodeVersions, { ...space, node_id: nodeId, version })
  if (!stored) return undefined
  const parsed = parse(stored)
  remember(kept, name, parsed, KEPT_MAX)
  return parsed
}

export function parse(stored: NodeVersion): Parsed {
  const { node }: { node: Node } = JSON.parse(stored.manifest)
  return { stored, node, endpoints: new Map(node.endpoints.map((endpoint) => [endpoint.action_id, endpoint])) }
}

/** For harnesses that switch to another deployment in one process. */
export const forgetManifests = (): void => kept.clear()
