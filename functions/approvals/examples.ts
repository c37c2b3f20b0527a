import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import {
  APPROVAL_ID,
  APPROVER,
  BOUND,
  DIGEST,
  HELD_ID,
  heldReceipt,
  KEY,
  MAIL,
  page,
  POLICY_SET,
  SALT,
  SEND,
} from '../samples.ts'
import type { approvals } from './routes.ts'

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

const MAILS = 'pol_01JD3Q8Z5NQ4T6V8X0Z2B4D6F8'

const detail = {
  agent_id: 'agt_support',
  agent_bound: true,
  policy_ids: [MAILS],
  action_description: 'Sends a mail to a customer.',
  binding: BOUND,
  limits: [
    {
      policy_id: MAILS,
      name: 'Twenty mails an hour for each agent',
      measure: 'count',
      max: 20,
      window_s: 3_600,
      used: 20,
      subject: { agent: 'agt_support' },
    },
  ],
  payload: MAIL,
  payload_salt: SALT,
}

const approval = {
  ...waiting,
  status: 'approved',
  stages: [{ groups: ['any'], min_approvals: 1, mode: 'any', status: 'done' }],
  decided_by: APPROVER,
  decided_at: '2026-11-20T22:41:12.456Z',
  reason: 'Checked with the customer.',
  method: 'manual',
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

const LATER = '2026-11-20T23:10:00.000Z'

const grant = {
  id: 'grt_01JD3Q8Z5NGR5H7K9N1Q3S5V7X',
  status: 'active',
  approval_id: APPROVAL_ID,
  granted_by: [APPROVER],
  requested_by: KEY,
  node_id: 'crm.contacts.editor',
  action_id: 'update_contact',
  manifest_sha256: 'b'.repeat(64),
  policy_set_version: POLICY_SET,
  policy_ids: ['pol_01JD3Q8Z5NP4T6V8X0Z2B4D6F8'],
  free: ['/note'],
  at_most: [],
  uses: 3,
  max_uses: 10,
  created_at: '2026-11-20T22:41:12.456Z',
  expires_at: '2026-11-20T23:41:12.456Z',
}

const delegation = {
  id: 'dlg_01JD3Q8Z5ND3H7K9N1Q3S5V7XZ',
  from_user_id: '5eb7d67a-d04d-4bf2-8daf-8899752a99bd',
  to_user_id: '3f0c1f6e-8a52-4f9e-9d55-0c2f6c3d7c11',
  from_at: '2026-11-23T00:00:00.000Z',
  until: '2026-12-04T23:00:00.000Z',
  node_ids: ['crm.contacts.editor'],
  reason: 'On holiday.',
  created_at: '2026-11-20T22:37:00.123Z',
  status: 'scheduled',
  evidence_artifact_id: 'art_01JD3Q8Z5N4G6J8M0P2R4T6V8X',
}

export const examples: Examples<typeof approvals> = {
  list: { responses: { 200: page(waiting) } },
  get: { responses: { 200: { ...waiting, ...detail } } },
  approve: {
    body: { reason: 'Checked with the customer.', action_digest: DIGEST },
    responses: { 200: approval },
  },
  listGrants: { responses: { 200: page(grant) } },
  revokeGrant: {
    body: {},
    responses: { 200: { ...grant, status: 'revoked', revoked_at: LATER, revoked_by: APPROVER } },
  },
  createDelegation: {
    body: {
      to_user_id: delegation.to_user_id,
      from_at: delegation.from_at,
      until: delegation.until,
      node_ids: delegation.node_ids,
      reason: delegation.reason,
    },
    responses: { 201: delegation },
  },
  listDelegations: { responses: { 200: page(delegation) } },
  endDelegation: {
    responses: {
      200: {
        ...delegation,
        status: 'ended',
        ended_at: LATER,
        ended_by: { type: 'user', id: delegation.from_user_id },
      },
    },
  },
  reject: { body: { reason: 'The refund was paid already.' } },
  batch: {
    body: { decision: 'reject', items: [{ id: APPROVAL_ID, action_digest: DIGEST }], reason: 'The campaign is over.' },
    responses: { 200: { results: [{ id: APPROVAL_ID, http_status: 200, status: 'rejected' }] } },
  },
  extend: { body: { seconds: 86_400 } },
  submitPage: {
    body: { token: 'value-of-the-form', step: 'reject', digest: DIGEST, reason: 'The refund was paid already.' },
  },
}

export const variables: Variables<typeof approvals> = {
  '/api/v1/work/approvals/{id}': ['Its id.', 'apr_01JD3Q8Z5N3F5H7K9N1Q3S5V7X'],
  '/api/v1/work/grants/{id}': ['Its id.', 'grt_01JD3Q8Z5NGR5H7K9N1Q3S5V7X'],
  '/api/v1/work/delegations/{id}': ['Its id.', 'dlg_01JD3Q8Z5ND3H7K9N1Q3S5V7XZ'],
  '/approvals/{tenant_id}/{id}': ['Its id.', 'apr_01JD3Q8Z5N3F5H7K9N1Q3S5V7X'],
}
