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

/** What an approval is bound to: who asked for exactly which action, under which manifest and which policies. */
export const actionDigest = (action: BoundAction): string =>
  `sha256:${sha256Hex(canonicalJson({ v: 1, ...action, agent_id: action.agent_id ?? null }))}`

/** Of the action as it is stored; `payload_commitment` is computed again from the payload where that is at hand. */
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
