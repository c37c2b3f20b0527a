// Payloads of the categories protocol (executions that ran, are held, or were undone) and agent (runs and actions of agents).
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

const run = {
  agent_id: text.describe('Id of the agent, which is bound to the credential or stated in the request.'),
  task_id: maybeText.describe('Id of the task.'),
  request_id: maybeText.describe('Id of the request, also in `X-Request-Id`.'),
  node_id: maybeText.describe('Id of the node.'),
  action_id: maybeText.describe('Id of the action in its manifest.'),
}
const runExample = {
  agent_id: 'agt_support',
  task_id: null,
  request_id: 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R',
  node_id: 'crm.contacts.editor',
  action_id: 'update_contact',
}

export const agent = {
  'agent.created': payload(
    {
      agent_id: text.describe('Id of the agent, which is bound to the credential or stated in the request.'),
      worker_id: maybeText.describe('Id of the worker that runs as this agent.'),
      name: text.describe('A name for people.'),
      persona_key: maybeText.describe('Key of the persona that the agent uses.'),
      model_slot: maybeText.describe('The model that the agent uses.'),
      max_tier: tier.describe('The highest tier that the worker may run.'),
    },
    {
      agent_id: 'agt_support',
      worker_id: 'wrk_01JD3Q8Z5N5H7K9N1Q3S5V7X9Z',
      name: 'Support agent',
      persona_key: 'support',
      model_slot: null,
      max_tier: 'SOFT',
    },
  ),
  'agent.executed': payload(
    {
      agent_id: text.describe('Id of the agent, which is bound to the credential or stated in the request.'),
      task_id: text.describe('Id of the task.'),
      request_id: maybeText.describe('Id of the request, also in `X-Request-Id`.'),
      tier: tier.describe('AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.'),
      command_sha256: maybeText.describe('SHA-256 of the command, hex.'),
    },
    {
      agent_id: 'agt_support',
      task_id: 'tsk_01JD3Q8Z5N6J8M0P2R4T6V8Y0A',
      request_id: runExample.request_id,
      tier: 'SOFT',
      command_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  ),
  'agent.failed': payload(
    {
      ...run,
      error_code: text.describe('The cause of the error, for programs.'),
      error_message: text.describe('The cause of the error, for people.'),
    },
    { ...runExample, error_code: 'target_failed', error_message: 'The target of the action failed.' },
  ),
  'agent.completed': payload(
    { ...run, duration_ms: whole.describe('How long it took, in ms.') },
    { ...runExample, duration_ms: 84 },
  ),
  'agent.action.triggered': payload(
    {
      agent_id: text.describe('Id of the agent, which is bound to the credential or stated in the request.'),
      request_id: text.describe('Id of the request, also in `X-Request-Id`.'),
      node_id: text.describe('Id of the node.'),
      action_id: text.describe('Id of the action in its manifest.'),
      tier: tier.describe('AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.'),
      trigger: z.enum(['api', 'webhook', 'schedule', 'runbook']).describe('The cause of the run.'),
    },
    {
      agent_id: 'agt_support',
      request_id: runExample.request_id,
      node_id: runExample.node_id,
      action_id: runExample.action_id,
      tier: 'SOFT',
      trigger: 'api',
    },
  ),
}
