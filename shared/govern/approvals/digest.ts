import type { Execution } from '../executions/execution.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256Hex } from '../../base/lib/hash.ts'

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

/** Binds an approval to requester, action, payload, manifest and policies. */
export const actionDigest = (action: BoundAction): string =>
  `sha256:${sha256Hex(canonicalJson({ v: 1, ...action, agent_id: action.agent_id ?? null }))}`

/** The digest of a stored action. Callers that have the payload pass a commitment computed from it. */
export const digestOf = (execution: Execution, payload_commitment = execution.payload_commitment): string =>
  actionDigest({
    tenant_id: execution.tenant_id,
    mode: execution.mode,
    request_id: execution.id,
    node_id: execution.node_id,
    version: execution.version,
    manifest_sha256: execution.manifest_sha256,
    action_id: execution.action_id,
    requested_by: execution.requested_by,
    agent_id: execution.agent_id,
    payload_commitment,
    policy_set_version: execution.policy_set_version,
  })
