import * as z from 'zod'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import type { Execution } from '../executions/execution.ts'
import { Called, readTargetText } from '../governance/called.ts'
import type { Approval } from './approval.ts'

/** What an approval binds. Exactly this object is under the digest. */
export const BoundAction = z.object({
  /** 2 where the action has a target, which is bound then. */
  v: z.literal([1, 2]),
  tenant_id: z.string(),
  mode: z.string(),
  request_id: z.string(),
  node_id: z.string(),
  version: z.string(),
  manifest_sha256: z.string(),
  action_id: z.string(),
  requested_by: z.object({ type: z.string(), id: z.string() }),
  /** Only where a person requested it through an OAuth client. */
  client_id: z.string().optional(),
  agent_id: z.string().nullable(),
  payload_commitment: z.string(),
  policy_set_version: z.string(),
  target: Called.optional(),
})
export type BoundAction = z.output<typeof BoundAction>

/** Binds an approval to requester, action, target, payload, manifest and policies. */
export const actionDigest = (action: BoundAction): string => `sha256:${sha256Hex(canonicalJson(action))}`

/** What an approval of a stored action binds. `target`: as the approval stores it. */
export const boundAction = (execution: Execution, { target }: Pick<Approval, 'target'>): BoundAction => ({
  v: target === undefined ? 1 : 2,
  tenant_id: execution.tenant_id,
  mode: execution.mode,
  request_id: execution.id,
  node_id: execution.node_id,
  version: execution.version,
  manifest_sha256: execution.manifest_sha256,
  action_id: execution.action_id,
  requested_by: execution.requested_by,
  client_id: execution.client_id,
  agent_id: execution.agent_id ?? null,
  payload_commitment: execution.payload_commitment,
  policy_set_version: execution.policy_set_version,
  ...(target !== undefined && { target: readTargetText(target) }),
})

/** The digest of a stored action. Callers that have the payload pass a commitment computed from it. */
export const digestOf = (
  execution: Execution,
  approval: Pick<Approval, 'target'>,
  payload_commitment = execution.payload_commitment,
): string => actionDigest({ ...boundAction(execution, approval), payload_commitment })
