import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import {
  APPROVAL_ID,
  decided,
  DIGEST,
  heldReceipt,
  MAIL,
  MANIFEST,
  NODE,
  POLICY_SET,
  SEND,
  traced,
} from '../samples.ts'
import type { protocol } from './routes.ts'

const registration = {
  manifest: {
    protocol_version: '1.0',
    node: {
      id: NODE.node_id,
      name: 'Mailer',
      version: NODE.version,
      owner: 'crm-team',
      category: 'notification',
      endpoints: [
        { action_id: 'preview_mail', description: 'Renders a mail without sending it.', idempotency: true },
        { action_id: 'send_mail', description: 'Sends a mail to a customer.', approval_required: true },
      ],
    },
  },
  registry: { listing_tier: 'development' },
}

const classified = [
  {
    action_id: 'preview_mail',
    kind: 'analyse',
    tier: 'AUTO',
    floor: 'AUTO',
    reasons: [{ signal: 'verb', value: 'preview', floor: 'AUTO' }],
  },
  {
    action_id: 'send_mail',
    kind: 'email',
    tier: 'HARD',
    floor: 'HARD',
    reasons: [
      { signal: 'verb', value: 'send', floor: 'HARD' },
      { signal: 'approval_required', floor: 'HARD' },
    ],
  },
]

const executed = {
  status: 'executed',
  result: { status: 'completed', message: 'Action executed.', payload_echo: { template: 'welcome' } },
  receipt: {
    request_id: 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R',
    ...traced,
    ...NODE,
    action_id: 'preview_mail',
    agent_bound: true,
    policy_evaluations: ['class', 'manifest', 'request'].map((policy_id) => ({ policy_id, result: 'pass' })),
    routing_decision: {
      strategy: 'manifest',
      tier: 'AUTO',
      kind: 'analyse',
      confidence: 1,
      risk: 5,
      reasons: [{ signal: 'verb', value: 'preview', floor: 'AUTO' }],
    },
    policy_set_version: POLICY_SET,
    evidence_artifact_id: 'art_01JD3Q8Z5N4J6M8P0R2T4V6X8Z',
    evidence_hash: 'sha256:41a9c3cb1cb6690259468ce0a9bcda354642460a4fed4b7cb756b1d067c757a7',
  },
}

const pending = {
  status: 'pending_approval',
  result: { status: 'queued', message: 'Waiting for approval.', payload_echo: MAIL },
  receipt: heldReceipt,
  approval: {
    id: APPROVAL_ID,
    expires_at: '2026-11-21T22:37:00.123Z',
    action_digest: DIGEST,
    stages: [{ groups: ['any'], min_approvals: 1 }],
  },
}

export const examples: Examples<typeof protocol> = {
  validateManifest: {
    body: registration,
    responses: { 200: { valid: true, actions: classified, warnings: [] } },
  },
  registerManifest: {
    body: registration,
    responses: {
      201: {
        ...NODE,
        status: 'registered',
        manifest_sha256: MANIFEST,
        actions: classified,
        warnings: [],
      },
    },
  },
  assignToolName: {
    body: { node_id: SEND.node_id, action_id: SEND.action_id },
    responses: { 200: { name: 'mailer_send_mail', node_id: SEND.node_id, action_id: SEND.action_id } },
  },
  execute: {
    body: { node_id: SEND.node_id, action_id: SEND.action_id, payload: MAIL },
    responses: { 200: executed, 202: pending },
  },
  evaluate: {
    body: { node_id: SEND.node_id, action_id: SEND.action_id, payload: MAIL },
    responses: { 200: { outcome: 'hold', ...SEND, ...decided } },
  },
  getExecution: { responses: { 200: executed } },
  cancel: { body: { reason: 'The customer changed their mind.' } },
  outcome: { body: { outcome: 'succeeded', note: 'Found the mail in the outbox.' } },
  undo: { body: { reason: 'Sent to the wrong list.' } },
}

export const variables: Variables<typeof protocol> = {
  '/api/v1/protocol/manifest/{node_id}': ['The id of the node.', 'crm.notification.mailer'],
  '/api/v1/protocol/tools/{tool_name}': ['The name of the tool.', 'mailer_send_mail'],
  '/api/v1/protocol/executions/{request_id}': ['The id of the execution.', 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R'],
}
