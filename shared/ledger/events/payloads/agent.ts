// Payloads of category agent: runs and actions of agents.
import * as z from 'zod'
import { maybeText, payload, text, tier, whole } from './fields.ts'

const run = {
  agent_id: text,
  task_id: maybeText,
  request_id: maybeText,
  node_id: maybeText,
  action_id: maybeText,
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
      agent_id: text,
      worker_id: maybeText,
      name: text,
      persona_key: maybeText,
      model_slot: maybeText,
      max_tier: tier,
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
    { agent_id: text, task_id: text, request_id: maybeText, tier, command_sha256: maybeText },
    {
      agent_id: 'agt_support',
      task_id: 'tsk_01JD3Q8Z5N6J8M0P2R4T6V8Y0A',
      request_id: runExample.request_id,
      tier: 'SOFT',
      command_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  ),
  'agent.failed': payload(
    { ...run, error_code: text, error_message: text },
    { ...runExample, error_code: 'target_failed', error_message: 'The target of the action failed.' },
  ),
  'agent.completed': payload({ ...run, duration_ms: whole }, { ...runExample, duration_ms: 84 }),
  'agent.action.triggered': payload(
    {
      agent_id: text,
      request_id: text,
      node_id: text,
      action_id: text,
      tier,
      trigger: z.enum(['api', 'webhook', 'schedule', 'runbook']),
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
