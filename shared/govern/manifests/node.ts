// A registered node: its head, which names the latest version, and its versions, which never change.
// `endpointHash` names one action as it was when something was learnt or approved.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { ENVIRONMENTS } from '../governance/conditions/fact-list.ts'
import { sortableVersion } from '../../base/lib/names.ts'
import { bound } from '../../base/table/bound.ts'
import { spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import type { Endpoint } from './manifest.ts'

/** A signing secret of the node's targets, sealed. The former one signs beside the new one until it expires. */
export const NodeSecret = z.object({ id: z.string(), sealed: z.string(), expires_at: z.string().optional() })

export const NodeHead = z.object({
  ...spaceMembers,
  node_id: z.string(),
  latest: z.string(),
  manifest_sha256: z.string(),
  secrets: z.array(NodeSecret),
  /** What a person who may write policies last said of the node. Another one that a key registers does not count. */
  environment: z.enum(ENVIRONMENTS).optional(),
  /** The person behind the first registration. Absent where no person was. */
  owner: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type NodeHead = z.output<typeof NodeHead>

export const nodeHeads = bound({
  name: 'NODE',
  schema: NodeHead,
  key: (of: Space & { node_id: string }) => ({ pk: nodesPartition(of), sk: of.node_id }),
})

export const nodesPartition = (space: Space): string => spaceKey(space, 'NODES')

export const NodeVersion = z.object({
  ...spaceMembers,
  node_id: z.string(),
  version: z.string(),
  /** Canonical JSON of the manifest; values of target headers are masked, and `headers` holds them sealed. */
  manifest: z.string(),
  manifest_sha256: z.string(),
  listing_tier: z.string(),
  /** Sealed static headers of the targets, by action. */
  headers: z.record(z.string(), z.string()).optional(),
  /** Registered by a person who may write policies: declared kinds may then loosen the classifier's reading. */
  trusted: z.boolean(),
  registered_by: z.object({ type: z.string(), id: z.string() }),
  created_at: z.string(),
})
export type NodeVersion = z.output<typeof NodeVersion>

export const nodeVersions = bound({
  name: 'MANIFEST',
  schema: NodeVersion,
  key: (of: Space & { node_id: string; version: string }) => ({
    pk: versionsPartition(of, of.node_id),
    sk: sortableVersion(of.version),
  }),
})

export const versionsPartition = (space: Space, nodeId: string): string => spaceKey(space, 'NODE', nodeId)

/** As the API specification has it: three dot-separated parts. */
export const NODE_ID = /^[A-Za-z0-9_-]{1,63}\.[A-Za-z0-9_-]{1,63}\.[A-Za-z0-9_-]{1,63}$/

const known = new WeakMap<Endpoint, string>()

/** SHA-256 (hex) of the canonical JSON of an endpoint. A rule that was learnt on one endpoint covers no other. */
export function endpointHash(endpoint: Endpoint): string {
  const before = known.get(endpoint)
  if (before !== undefined) return before
  const made = sha256Hex(canonicalJson(endpoint))
  known.set(endpoint, made)
  return made
}
