// Payloads of category protocol: executions that ran, are held, or were undone.
import * as z from 'zod'
import { flag, maybeText, payload, published, text, texts, tier, whole } from './fields.ts'

const action = {
  request_id: text.describe('Id of the request, also in `X-Request-Id`.'),
  node_id: text.describe('Id of the node.'),
  action_id: text.describe('Id of the action in its manifest.'),
}
const actionExample = {
  request_id: 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R',
  node_id: 'crm.contacts.editor',
  action_id: 'update_contact',
}

export const protocol = {
  'protocol.executed': published(
    {
      ...action,
      tier: tier.describe('AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.'),
      /** `failed`: the target call failed; `unknown`: its outcome is. */
      status: z.enum(['approved', 'failed', 'unknown']).describe('The current state.'),
      latency_ms: whole.describe('How long it took, in ms.'),
      evidence_hash: text.describe('Hash of the artifact, hex.'),
    },
    {
      ...actionExample,
      tier: 'SOFT',
      status: 'approved',
      latency_ms: 84,
      evidence_hash: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  ),
  'protocol.approval.requested': payload(
    {
      ...action,
      approval_id: text.describe('Id of the approval.'),
      tier: tier.describe('AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.'),
      requested_by: text.describe('The caller that requested it.'),
      agent_id: maybeText.describe('Id of the agent, which is bound to the credential or stated in the request.'),
      /** Ids of the policies that asked for approval. */
      reasons: texts.describe('Why the action is held.'),
      expires_at: text.describe('When it expires.'),
      sla_due_at: maybeText.describe('When it should be decided.'),
      /** Nobody decided in time, so more people are asked. */
      escalated: flag.describe('Whether the request has been escalated.'),
    },
    {
      ...actionExample,
      approval_id: 'apr_01JD3Q8Z5N3F5H7K9N1Q3S5V7X',
      tier: 'HARD',
      requested_by: 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM',
      agent_id: 'agt_support',
      reasons: ['pol_01JD3Q8Z5N4G6J8M0P2R4T6V8Y'],
      expires_at: '2026-11-21T22:37:00.123Z',
      sla_due_at: null,
      escalated: false,
    },
  ),
  'execution.undone': payload(
    {
      ...action,
      undone_by: text.describe('Id of the caller that undid the action.'),
      undo_action_id: maybeText.describe('Id of the action of the same node that undoes this one.'),
      undo_request_id: maybeText.describe('Id of the execution of the undo action.'),
      /** `executed`: we called the undo action. `caller`: the caller of a brokered action compensates. */
      compensation: z
        .enum(['executed', 'caller'])
        .describe('How the action was undone: by the service with its undo action, or by the caller.'),
    },
    {
      ...actionExample,
      undone_by: 'usr_01JD3Q8Z5N1B3D5F7H9K1N3Q5S',
      undo_action_id: 'restore_contact',
      undo_request_id: 'exe_01JD3Q8Z5NFV7X9Z1B3D5F7H9K',
      compensation: 'executed',
    },
  ),
}
