// Payloads of category governance: requests, decisions and policies.
import * as z from 'zod'
import { MODES } from '../../../base/table/members.ts'
import { flag, maybeText, maybeWhole, payload, published, severity, text, texts, tier, whole } from './fields.ts'

const action = { request_id: text, node_id: text, action_id: text, action_type: text }
const actionExample = {
  request_id: 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R',
  node_id: 'crm.contacts.editor',
  action_id: 'update_contact',
  action_type: 'update',
}

/** Members that are not part of the scope are empty. */
const freezeScope = z.strictObject({
  tenant: flag,
  node_ids: texts,
  action_kinds: texts,
  agents: texts,
  principals: texts,
  hosts: texts,
})
const nothingFrozen = { tenant: false, node_ids: [], action_kinds: [], agents: [], principals: [], hosts: [] }

export const governance = {
  'action.requested': payload(
    { ...action, requested_by: text, agent_id: maybeText, environment: z.enum(MODES) },
    {
      ...actionExample,
      requested_by: 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM',
      agent_id: 'agt_support',
      environment: 'live',
    },
  ),
  'action.approved': published(
    {
      action_id: text,
      action_type: text,
      /** A user id, `key:<id>`, `policy:<id>` or `system`. */
      approved_by: text,
      approval_method: z.enum(['manual', 'automatic']),
      /** Empty where no agent is involved. */
      agent_id: text,
      risk_tier: tier,
      evidence_artifact_id: text,
    },
    {
      action_id: 'update_contact',
      action_type: 'update',
      approved_by: 'usr_01JD3Q8Z5N1B3D5F7H9K1N3Q5S',
      approval_method: 'manual',
      agent_id: 'agt_support',
      risk_tier: 'HARD',
      evidence_artifact_id: 'art_01JD3Q8Z5N2E4G6J8M0P2R4T6V',
    },
  ),
  'action.rejected': payload(
    {
      ...action,
      approval_id: maybeText,
      rejected_by: text,
      rejection_method: z.enum(['manual', 'policy', 'expired', 'cancelled']),
      reason: text,
      risk_tier: tier,
      agent_id: maybeText,
    },
    {
      ...actionExample,
      approval_id: 'apr_01JD3Q8Z5N3F5H7K9N1Q3S5V7X',
      rejected_by: 'usr_01JD3Q8Z5N1B3D5F7H9K1N3Q5S',
      rejection_method: 'manual',
      reason: 'rejected by a reviewer',
      risk_tier: 'HARD',
      agent_id: 'agt_support',
    },
  ),
  'action.auto_executed': payload(
    { ...action, risk_tier: tier, agent_id: maybeText, latency_ms: whole, status: z.enum(['approved', 'failed']) },
    { ...actionExample, risk_tier: 'AUTO', agent_id: 'agt_support', latency_ms: 84, status: 'approved' },
  ),
  'policy.updated': payload(
    {
      policy_id: maybeText,
      name: text,
      change: z.enum(['created', 'updated', 'enabled', 'disabled', 'routing']),
      policy_version: maybeWhole,
      previous_version: maybeWhole,
      node_id: maybeText,
      action_id: maybeText,
      update_id: maybeText,
    },
    {
      policy_id: 'pol_01JD3Q8Z5N4G6J8M0P2R4T6V8Y',
      name: 'Refunds above 100 need approval',
      change: 'updated',
      policy_version: 4,
      previous_version: 3,
      node_id: null,
      action_id: null,
      update_id: null,
    },
  ),
  'policy.violated': payload(
    {
      policy_id: text,
      policy_name: text,
      severity,
      request_id: text,
      node_id: text,
      action_id: text,
      outcome: z.enum(['rejected', 'raised', 'flagged']),
      detail: text,
    },
    {
      policy_id: 'pol_01JD3Q8Z5N4G6J8M0P2R4T6V8Y',
      policy_name: 'Refunds above 100 need approval',
      severity: 'high',
      request_id: actionExample.request_id,
      node_id: actionExample.node_id,
      action_id: actionExample.action_id,
      outcome: 'raised',
      detail: 'tier raised to HARD',
    },
  ),
  'policy.frozen': payload(
    { freeze_id: text, scope: freezeScope, reason: text },
    {
      freeze_id: 'frz_01JD3Q8Z5N5H7K9N1Q3S5V7X9Z',
      scope: { ...nothingFrozen, agents: ['agt_support'] },
      reason: 'It mailed the wrong customers.',
    },
  ),
  'policy.unfrozen': payload(
    { freeze_id: text, scope: freezeScope, reason: text },
    {
      freeze_id: 'frz_01JD3Q8Z5N5H7K9N1Q3S5V7X9Z',
      scope: { ...nothingFrozen, agents: ['agt_support'] },
      reason: 'The recipients are checked now.',
    },
  ),
}
