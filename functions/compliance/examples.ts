import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import { APPROVER, AT, KEY } from '../samples.ts'
import type { compliance } from './routes.ts'

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
  collected_at: AT,
  submitted_by: KEY,
  submitted_at: AT,
  evidence_artifact_id: 'art_01JD3Q8Z5NB4E6G8J0M2P4R6T8',
  version: 1,
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

const framework = {
  id: 'soc2',
  name: 'SOC 2, Trust Services Criteria',
  group: 'core',
  catalogue_version: '2017-rev-2022',
  enabled: true,
  enabled_at: AT,
  status: 'in_progress',
  scope: { availability: true, confidentiality: false, processing_integrity: false, privacy: false },
  owner_user_id: null,
  evidence_validity_days: 180,
  window_days: 90,
  controls_met: 12,
  controls_total: 36,
  score: 57.1,
  last_run_id: 'run_01JD3Q8Z5N9N1Q3S5V7X9Z1B3D',
  last_run_at: AT,
  version: 2,
}

const reason = 'Partially met: 4 of 4 checks pass, no accepted evidence.'

const control = {
  id: 'CC6.1',
  key: 'cc6.1',
  title: 'Logical access to information assets is restricted',
  family: 'CC6',
  type: 'hybrid',
  severity: 'critical',
  status: 'partially_met',
  status_reason: reason,
  in_scope: true,
  checks: [],
  evidence: [],
  wanted_evidence: ['access_review', 'screenshot', 'policy'],
  applicability: { applicable: true, justification: null, decided_by: null, decided_at: null },
  owner_user_id: null,
  note: 'The review of each quarter serves here.',
  gain: 2.5,
  last_changed_at: AT,
  version: 2,
  history: [{ at: AT, from: 'not_assessed', to: 'partially_met', reason }],
}

const decision = { decision: 'accepted', reason: 'It covers all accounts.' }

const accepted = {
  ...submitted,
  status: 'accepted',
  valid_until: '2027-05-19T22:37:00.123Z',
  decision: { ...decision, by: APPROVER, at: AT, valid_until: '2027-05-19T22:37:00.123Z' },
  version: 2,
}

const found = {
  status: 'pass',
  detail: '8 of 8 HARD executions that ran in the window were approved by enough people who did not ask for them.',
  numerator: 8,
  denominator: 8,
  failing_ids: [],
  failing_count: 0,
  evaluated_at: AT,
}

const check = {
  id: 'GOV-01',
  title: 'Independent human approval',
  severity: 'critical',
  kind: 'population',
  every: 'hour',
  passes_when: 'Every HARD execution that ran in the window was approved by people who did not ask for it',
  remedy: 'Let people who did not ask decide',
  controls: { soc2: ['CC6.1', 'CC8.1'] },
  ...found,
  previous_status: 'fail',
  changed_at: AT,
  run_id: 'run_01JD3Q8Z5N9N1Q3S5V7X9Z1B3D',
  violation: null,
}

const run = {
  id: check.run_id,
  trigger: 'manual',
  scope: [check.id],
  status: 'completed',
  requested_by: KEY,
  requested_at: AT,
  started_at: AT,
  finished_at: AT,
  catalogue_hash: '493e3e0c1eda88a47fa45c9f7c7199ad046db705311a5d80da65a0c38ee9ba68',
  results_sha256: '5b2f6f0e4d0b9a7c1e3d5f7092b4d6f8a1c3e5072946b8da0c2e4f6173859aab',
  results: [{ check_id: check.id, version: 1, ...found, previous_status: 'fail' }],
}

export const examples: Examples<typeof compliance> = {
  listChecks: { responses: { 200: { items: [check], total: 48, next_cursor: null, has_more: false } } },
  getCheck: {
    responses: {
      200: {
        ...check,
        days: [
          { date: '2026-11-19', status: 'no_run' },
          { date: '2026-11-20', status: 'pass' },
        ],
      },
    },
  },
  startRun: {
    body: { checks: [check.id] },
    responses: {
      202: { ...run, status: 'queued', started_at: null, finished_at: null, results_sha256: null, results: [] },
    },
  },
  getRun: { responses: { 200: run } },
  enableFramework: { body: { scope: { availability: true } }, responses: { 200: framework } },
  disableFramework: {
    body: {},
    responses: {
      200: { ...framework, enabled: false, enabled_at: null, status: 'not_enabled', controls_met: 0, score: null },
    },
  },
  exportFramework: {
    body: { start_at: '2026-05-01T00:00:00Z', end_at: '2026-11-01T00:00:00Z', sample: { size: 40 } },
    responses: {
      202: {
        export_id: 'exp_01JD3Q8Z5N8M0P2R4T6V8Y0A2C',
        status: 'processing',
        poll: '/api/v1/exports/exp_01JD3Q8Z5N8M0P2R4T6V8Y0A2C',
      },
    },
  },
  getControl: { responses: { 200: control } },
  updateControl: { body: { note: control.note }, responses: { 200: control } },
  submitEvidence: {
    body: review,
    responses: { 201: { ...submitted, status: 'awaiting_upload', upload } },
  },
  completeUpload: { body: {}, responses: { 200: submitted } },
  decideEvidence: { body: decision, responses: { 200: accepted } },
}

export const variables: Variables<typeof compliance> = {
  '/api/v1/compliance/tenants/{tenant_id}/evidence/{id}': ['Its id.', 'evd_01JD3Q8Z5NA2C4E6G8J0M2P4R6'],
  '/api/v1/compliance/tenants/{tenant_id}/frameworks/{id}': ['The id of the framework.', 'soc2'],
  '/api/v1/compliance/tenants/{tenant_id}/frameworks/{id}/controls/{control_key}': [
    'The `key` of the control.',
    'cc6.1',
  ],
  '/api/v1/compliance/tenants/{tenant_id}/checks/{check_id}': ['The id of the check.', 'GOV-01'],
  '/api/v1/compliance/tenants/{tenant_id}/runs/{run_id}': ['The id of the run.', 'run_01JD3Q8Z5N9N1Q3S5V7X9Z1B3D'],
}
