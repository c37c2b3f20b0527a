import * as z from 'zod'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import type { Execution } from '../executions/execution.ts'
import { Called, readTargetText } from '../governance/decide/policy-facts.ts'
import type { Approval } from './approval.ts'

/** What an approval binds. Exactly this object is under the digest. */
export const BoundAction = z.object({
  /** 2 where the action has a target, which is bound then. */
  v: z.literal([1, 2]).describe('The version of this form: 2 with `target`, 1 without.'),
  tenant_id: z.string().describe('Id of the tenant.'),
  mode: z.string().describe('Whether it belongs to live or test data.'),
  request_id: z.string().describe('Id of the request, also in `X-Request-Id`.'),
  node_id: z.string().describe('Id of the node.'),
  version: z.string().describe('Version of the manifest.'),
  manifest_sha256: z.string().describe('SHA-256 of the canonical manifest, hex.'),
  action_id: z.string().describe('Id of the action in its manifest.'),
  requested_by: z
    .object({ type: z.string().describe('What kind of caller it is.'), id: z.string().describe('Id of the caller.') })
    .describe('The caller that requested it.'),
  /** Only where a person requested it through an OAuth client. */
  client_id: z.string().optional().describe('Id of the OAuth client.'),
  agent_id: z.string().nullable().describe('Id of the agent; null: none.'),
  payload_commitment: z.string().describe('Salted hash of the payload, hex, as in the header of the artifact.'),
  policy_set_version: z.string().describe('The version of the policy set and settings that decided.'),
  target: Called.optional().describe('Where the action is carried out; absent where the service calls nothing.'),
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
