// What examples of several areas share: who asks and decides, and one held action of a mailer whose mails need approval.

export const NODE = { node_id: 'crm.notification.mailer', version: '1.0.0' }
export const SEND = { ...NODE, action_id: 'send_mail' }
export const MAIL = { to: 'ada@example.com', subject: 'Your refund' }
export const KEY = { type: 'api_key', id: 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM' }
export const APPROVER = { type: 'user', id: '5eb7d67a-d04d-4bf2-8daf-8899752a99bd' }
export const POLICY_SET = 'sha256:c60df5dc55bd6a871f584156ce8066fe2b5756fc76a0a1b63db5a3e868878a15'
export const MANIFEST = '7b740b6ba123972b00b6092b2a73ebb783ea2f91e08ae646dd543b5413305f6f'
export const DIGEST = 'sha256:5f0f3b9bfb499f609bb366635d0e90c5ef9ae0d4dd9cdf92434deae855ad5121'
export const HELD_ID = 'exe_01JD3Q8Z5N2C4E6G8J0M2P4R0A'
export const APPROVAL_ID = 'apr_01JD3Q8Z5N3F5H7K9N1Q3S5V7X'

/** What the digest is of. The salt and the mail make its commitment. */
export const SALT = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
export const BOUND = {
  v: 1,
  tenant_id: 'ten_01JD3Q8Z5N7K9N1Q3S5V7X9Z1B',
  mode: 'live',
  request_id: HELD_ID,
  ...SEND,
  manifest_sha256: MANIFEST,
  requested_by: KEY,
  agent_id: 'agt_support',
  payload_commitment: '1ef66421d3b6833ae668a5476286dab05248af552b90617e8e4c7497c19014f7',
  policy_set_version: POLICY_SET,
}

export const AT = '2026-11-20T22:37:00.123Z'

/** How sending a mail is decided. */
export const decided = {
  agent_bound: true,
  policy_evaluations: [
    {
      policy_id: 'class',
      result: 'min_tier:HARD',
      basis: 'true',
      message: 'the payload or the spelling of the action asks for it',
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

export const traced = {
  trace_id: '5759e988bd862e3fe1be46a994272793',
  correlation_id: 'req_01JD3Q8Z5N0A2C4E6G8J0M2P4R',
  latency_ms: 13,
  retries: 0,
}

export const heldReceipt = {
  request_id: HELD_ID,
  ...traced,
  ...SEND,
  ...decided,
  evidence_artifact_id: 'art_01JD3Q8Z5N2E4G6J8M0P2R4T6V',
  evidence_hash: 'sha256:6d8accb50ea68de3f2178a89081731348b8d99b3541f0b8025d0ffc748867aa7',
}

/** A page that holds all that there is. */
export const page = (item: object) => ({ items: [item], total: 1, next_cursor: null, has_more: false })
