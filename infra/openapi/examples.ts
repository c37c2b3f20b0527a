// One example per operation whose meaning an example makes clearer: a mailer whose mails need approval. They are answers of
// the running service with ids made plain; a test holds each against the shapes of its handler.

type Example = { body?: object; replies?: Record<number, object> }

const NODE = { node_id: 'crm.notification.mailer', version: '1.0.0' }
const SEND = { ...NODE, action_id: 'send_mail' }
const MAIL = { to: 'ada@example.com', subject: 'Your refund' }
const KEY = { type: 'api_key', id: 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM' }
const APPROVER = { type: 'api_key', id: 'key_01JD3Q8Z5N9X4Y6T1S0RPM7V2W' }
const POLICY_SET = 'sha256:c60df5dc55bd6a871f584156ce8066fe2b5756fc76a0a1b63db5a3e868878a15'
const DIGEST = 'sha256:ce4992ec2854708616a2e51054a180a0e772d2dd5675dfffa004e0b704a224ca'
const HELD_ID = 'exe_01JD3Q8Z5N2C4E6G8J0M2P4R0A'
const APPROVAL_ID = 'apr_01JD3Q8Z5N3F5H7K9N1Q3S5V7X'

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

/** How sending a mail is decided. */
const decided = {
  agent_bound: true,
  policy_evaluations: [
    {
      policy_id: 'class',
      result: 'min_tier:HARD',
      basis: 'true',
      message: 'asked for by the payload or the spelling of the action',
    },
    { policy_id: 'manifest', result: 'require_approval', basis: 'true', message: 'the manifest requires approval' },
    { policy_id: 'request', result: 'pass' },
    { policy_id: 'pii', result: 'pass' },
  ],
  routing_decision: {
    strategy: 'manifest',
    tier: 'HARD',
    kind: 'email',
    confidence: 1,
    risk: 80,
    reasons: [
      { signal: 'verb', value: 'send', floor: 'HARD' },
      { signal: 'approval_required', floor: 'HARD' },
      { signal: 'external_recipients', floor: 'HARD' },
    ],
  },
  policy_set_version: POLICY_SET,
}

const traced = {
  trace_id: '5759e988bd862e3fe1be46a994272793',
  correlation_id: 'req_01JD3Q8Z5N0A2C4E6G8J0M2P4R',
  latency_ms: 13,
  retries: 0,
}

const heldReceipt = {
  request_id: HELD_ID,
  ...traced,
  ...SEND,
  ...decided,
  evidence_artifact_id: 'art_01JD3Q8Z5N2E4G6J8M0P2R4T6V',
  evidence_hash: 'sha256:6d8accb50ea68de3f2178a89081731348b8d99b3541f0b8025d0ffc748867aa7',
}

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

const waiting = {
  id: APPROVAL_ID,
  request_id: HELD_ID,
  status: 'pending',
  action_digest: DIGEST,
  ...SEND,
  tier: 'HARD',
  kind: 'email',
  risk: 80,
  reasons: ['verb', 'approval_required', 'external_recipients'],
  requested_by: KEY,
  requested_at: '2026-11-20T22:37:00.123Z',
  policy_ids: [],
  policy_set_version: POLICY_SET,
  allow_self: false,
  stages: [{ groups: ['any'], min_approvals: 1, mode: 'any', status: 'open' }],
  stage: 0,
  expires_at: '2026-11-21T22:37:00.123Z',
  votes: [],
}

const approval = {
  ...waiting,
  status: 'approved',
  stages: [{ groups: ['any'], min_approvals: 1, mode: 'any', status: 'done' }],
  decided_by: APPROVER,
  decided_at: '2026-11-20T22:41:12.456Z',
  reason: 'Checked with the customer.',
  method: 'api_key',
  consumed_at: '2026-11-20T22:41:12.457Z',
  votes: [
    {
      by: APPROVER,
      decision: 'approve',
      at: '2026-11-20T22:41:12.456Z',
      reason: 'Checked with the customer.',
      stage: 0,
    },
  ],
  execution: {
    status: 'executed',
    result: { status: 'completed', message: 'Action executed.', payload_echo: MAIL },
    receipt: heldReceipt,
  },
}

const policy = {
  name: 'Refunds above 100 need two people',
  severity: 'high',
  effect: 'require_approval',
  when: { field: 'payload./amount', op: 'gt', value: 100 },
  approval: { stages: [{ groups: ['role:approver'], min_approvals: 2 }], expires_in_s: 86_400 },
  message: 'Refunds above 100 need two approvals.',
}

const webhook = {
  name: 'Ticket system',
  url: 'https://hooks.example.com/countersign',
  events: ['protocol.approval.requested', 'action.rejected'],
}

const SUBMITTED_AT = '2026-11-20T22:37:00.123Z'

const review = {
  kind: 'access_review',
  title: 'Access review of the third quarter',
  control_refs: [{ framework_id: 'soc2', control_id: 'CC6.3' }],
  source: 'file',
  file: {
    name: 'access-review-q3.pdf',
    content_type: 'application/pdf',
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    size: 48_213,
  },
}

const submitted = {
  id: 'evd_01JD3Q8Z5NA2C4E6G8J0M2P4R6',
  ...review,
  status: 'submitted',
  collected_at: SUBMITTED_AT,
  submitted_by: KEY,
  submitted_at: SUBMITTED_AT,
  evidence_artifact_id: 'art_01JD3Q8Z5NB4E6G8J0M2P4R6T8',
}

/** What uploading the file takes; the signature is left out. */
const upload = {
  url: `https://s3.eu-west-1.amazonaws.com/files/submitted/ten_01JD3Q8Z5N/live/${submitted.id}`,
  method: 'PUT',
  headers: {
    'content-length': '48213',
    'content-type': 'application/pdf',
    'x-amz-checksum-sha256': 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
  },
  expires_at: '2026-11-20T22:52:00.123Z',
}

const page = (item: object) => ({ items: [item], total: 1, next_cursor: null, has_more: false })
const ok = (latency_ms: number) => ({ status: 'ok', latency_ms })

/** By operation. */
export const EXAMPLES: Record<string, Example> = {
  'protocol-validate-manifest': {
    body: registration,
    replies: { 200: { valid: true, actions: classified, warnings: [] } },
  },
  'protocol-register-manifest': {
    body: registration,
    replies: {
      201: {
        ...NODE,
        status: 'registered',
        manifest_sha256: '7b740b6ba123972b00b6092b2a73ebb783ea2f91e08ae646dd543b5413305f6f',
        actions: classified,
        warnings: [],
      },
    },
  },
  'protocol-execute': {
    body: { node_id: SEND.node_id, action_id: SEND.action_id, payload: MAIL },
    replies: { 200: executed, 202: pending },
  },
  'protocol-evaluate': {
    body: { node_id: SEND.node_id, action_id: SEND.action_id, payload: MAIL },
    replies: { 200: { outcome: 'hold', ...SEND, ...decided } },
  },
  'protocol-get-execution': { replies: { 200: executed } },
  'protocol-undo': { body: { reason: 'Sent to the wrong list.' } },
  'approvals-list': { replies: { 200: page(waiting) } },
  'approvals-approve': {
    body: { reason: 'Checked with the customer.', action_digest: DIGEST },
    replies: { 200: approval },
  },
  'approvals-reject': { body: { reason: 'The refund was paid already.' } },
  'agent-execute': { body: { tier: 'AUTO', command: 'Summarise the open tickets of today', agent_id: 'agt_support' } },
  'agent-approve': { body: { reason: 'The maintenance window is open.' } },
  'security-save-policy': { body: policy },
  'webhooks-create': {
    body: webhook,
    replies: {
      201: {
        id: 'whe_01JD3Q8Z5N5K7N9Q1S3V5X7Z9B',
        ...webhook,
        status: 'active',
        secrets: [{ id: 'whs_01JD3Q8Z5N6M8P0R2T4V6X8Z0C', created_at: '2026-11-20T22:37:00.123Z', hint: 'xlU=' }],
        consecutive_failed: 0,
        created_at: '2026-11-20T22:37:00.123Z',
        updated_at: '2026-11-20T22:37:00.123Z',
        created_by: KEY,
        version: 1,
        secret: 'whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGU=',
      },
    },
  },
  'compliance-submit-evidence': {
    body: review,
    replies: { 201: { ...submitted, status: 'awaiting_upload', upload } },
  },
  'compliance-complete-upload': { replies: { 200: submitted } },
  'webhooks-update': { body: { status: 'active', version: 1 } },
  'webhooks-test': { body: { type: 'action.rejected' } },
  'webhooks-replay': { body: { delivery_id: 'whd_01JD3Q8Z5N8P0R2T4V6X8Z0C2E' } },
  'health-check': {
    replies: {
      200: {
        status: 'healthy',
        timestamp: '2026-11-20T22:37:00.123Z',
        checks: { database: ok(7), cache: ok(1), system: ok(1) },
      },
    },
  },
  'keys-create': {
    body: { name: 'Support agent', kind: 'live', scopes: ['agent:execute'], agent_id: 'agt_support' },
    replies: {
      201: {
        id: KEY.id,
        name: 'Support agent',
        kind: 'live',
        scopes: ['agent:execute'],
        hint: 'ak_live_ABCD',
        service: false,
        agent_id: 'agt_support',
        status: 'active',
        created_by: '5eb7d67a-d04d-4bf2-8daf-8899752a99bd',
        created_at: '2026-11-20T22:37:00.123Z',
        expires_at: '2027-02-18T22:37:00.123Z',
        last_used_at: null,
        replaces: null,
        transferred_at: null,
        key: 'ak_live_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345640lJE3',
      },
    },
  },
  'health-live': { replies: { 200: { status: 'alive' } } },
  'health-ready': {
    replies: {
      200: { status: 'ready', checks: { database: ok(7), writes: ok(9), queues: ok(11), bus: ok(7), kms: ok(5) } },
    },
  },
  'evidence-verify': {
    replies: {
      200: {
        chain_valid: true,
        total_artifacts: 13,
        first_artifact: '2026-11-20T22:37:00.123Z',
        latest_artifact: '2026-11-20T22:41:12.457Z',
        signature_status: 'all_verified',
        broken_links: 0,
        verification: {
          verification_id: 'ver_01JD3Q8Z5N9R2T4V6X8Z0C2E4G',
          mode: 'incremental',
          checked_at: '2026-11-20T22:45:00.000Z',
          anchored_through: 13,
          unanchored: 0,
          pending: 0,
          tail: { from: 1, to: 13, result: 'valid' },
          completeness: {
            result: 'complete',
            checked_at: '2026-11-20T03:00:12.480Z',
            missing: 0,
            contradicted: 0,
            unnamed: 0,
            examples: [],
          },
          verifier_keys: [],
        },
      },
    },
  },
}
