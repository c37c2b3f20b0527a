// Payloads of category governance: requests, decisions and policies.
import * as z from 'zod'
import { MODES } from '../../../base/table/members.ts'
import { flag, maybeText, maybeWhole, payload, published, severity, text, texts, tier, whole } from './fields.ts'

const action = {
  request_id: text.describe('Id of the request, also in `X-Request-Id`.'),
  node_id: text.describe('Id of the node.'),
  action_id: text.describe('Id of the action in its manifest.'),
  action_type: text.describe('The kind of the action.'),
}
const actionExample = {
  request_id: 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R',
  node_id: 'crm.contacts.editor',
  action_id: 'update_contact',
  action_type: 'update',
}

/** Members that are not part of the scope are empty. */
const freezeScope = z
  .strictObject({
    tenant: flag.describe('The tenant.'),
    node_ids: texts.describe(
      'Nodes by id. `*` matches any characters within one part of the id, `**` matches anything.',
    ),
    action_kinds: texts.describe('Kinds of actions.'),
    agents: texts.describe(
      'Agents by id. `*` matches any characters within one part of the id, `**` matches anything.',
    ),
    principals: texts.describe(
      'Ids of people, API keys and OAuth clients. A person is frozen with everything that they stand behind.',
    ),
    hosts: texts.describe(
      'Hosts in lower case, without a port. Actions of every node that are carried out at one of them, or below it, are frozen.',
    ),
  })
  .describe('What the freeze stops.')
const nothingFrozen = { tenant: false, node_ids: [], action_kinds: [], agents: [], principals: [], hosts: [] }

export const governance = {
  'action.requested': payload(
    {
      ...action,
      requested_by: text.describe('The caller that requested it.'),
      agent_id: maybeText.describe('Id of the agent, which is bound to the credential or stated in the request.'),
      environment: z.enum(MODES).describe('The mode of the data.'),
    },
    {
      ...actionExample,
      requested_by: 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM',
      agent_id: 'agt_support',
      environment: 'live',
    },
  ),
  'action.approved': published(
    {
      action_id: text.describe('Id of the action in its manifest.'),
      action_type: text.describe('The kind of the action.'),
      /** A user id, `key:<id>`, `policy:<id>` or `system`. */
      approved_by: text.describe('Id of the person who approved.'),
      approval_method: z.enum(['manual', 'automatic']).describe('Whether a person or the service approved.'),
      /** Empty where no agent is involved. */
      agent_id: text.describe('Id of the agent, which is bound to the credential or stated in the request.'),
      risk_tier: tier.describe('The tier of the action.'),
      evidence_artifact_id: text.describe('Id of the artifact that proves it.'),
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
      approval_id: maybeText.describe('Id of the approval.'),
      rejected_by: text.describe('Id of the person who rejected.'),
      rejection_method: z
        .enum(['manual', 'policy', 'expired', 'cancelled'])
        .describe('Whether a person or the service rejected.'),
      reason: text.describe('The reason, for people.'),
      risk_tier: tier.describe('The tier of the action.'),
      agent_id: maybeText.describe('Id of the agent, which is bound to the credential or stated in the request.'),
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
    {
      ...action,
      risk_tier: tier.describe('The tier of the action.'),
      agent_id: maybeText.describe('Id of the agent, which is bound to the credential or stated in the request.'),
      latency_ms: whole.describe('How long it took, in ms.'),
      status: z.enum(['approved', 'failed']).describe('The current state.'),
    },
    { ...actionExample, risk_tier: 'AUTO', agent_id: 'agt_support', latency_ms: 84, status: 'approved' },
  ),
  'policy.updated': payload(
    {
      policy_id: maybeText.describe('Id of the policy.'),
      name: text.describe('A name for people.'),
      change: z.enum(['created', 'updated', 'enabled', 'disabled', 'routing']).describe('The kind of change.'),
      policy_version: maybeWhole.describe('Version of the policy.'),
      previous_version: maybeWhole.describe('The previous version.'),
      node_id: maybeText.describe('Id of the node.'),
      action_id: maybeText.describe('Id of the action in its manifest.'),
      update_id: maybeText.describe('Id of the update of the routing rules.'),
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
      policy_id: text.describe('Id of the policy.'),
      policy_name: text.describe('Name of the policy.'),
      severity,
      request_id: text.describe('Id of the request, also in `X-Request-Id`.'),
      node_id: text.describe('Id of the node.'),
      action_id: text.describe('Id of the action in its manifest.'),
      outcome: z.enum(['rejected', 'raised', 'flagged']).describe('What happened to the action.'),
      detail: text.describe('What was found.'),
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
    {
      freeze_id: text.describe('The id of the freeze.'),
      scope: freezeScope,
      reason: text.describe('The reason, for people.'),
    },
    {
      freeze_id: 'frz_01JD3Q8Z5N5H7K9N1Q3S5V7X9Z',
      scope: { ...nothingFrozen, agents: ['agt_support'] },
      reason: 'It mailed the wrong customers.',
    },
  ),
  'policy.unfrozen': payload(
    {
      freeze_id: text.describe('The id of the freeze.'),
      scope: freezeScope,
      reason: text.describe('The reason, for people.'),
    },
    {
      freeze_id: 'frz_01JD3Q8Z5N5H7K9N1Q3S5V7X9Z',
      scope: { ...nothingFrozen, agents: ['agt_support'] },
      reason: 'The recipients are checked now.',
    },
  ),
}
