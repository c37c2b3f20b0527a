import { canonicalJson } from '../lib/canonical-json.ts'
import { sha256Hex } from '../lib/hash.ts'

export type BoundAction = {
  tenant_id: string
  mode: string
  request_id: string
  node_id: string
  version: string
  manifest_sha256: string
  action_id: string
  requested_by: { type: string; id: string }
  agent_id: string | undefined
  payload_commitment: string
  policy_set_version: string
}

/** What an approval is bound to: who asked for exactly which action, under which manifest and which policies. */
export const actionDigest = (action: BoundAction): string =>
  `sha256:${sha256Hex(canonicalJson({ v: 1, ...action, agent_id: action.agent_id ?? null }))}`
