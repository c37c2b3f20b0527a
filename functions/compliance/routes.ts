import { area, get, patch, post, read } from '../../shared/base/wire/route.ts'

const tenant = '/api/v1/compliance/tenants/{tenant_id}'
const path = `${tenant}/evidence`
const frameworks = `${tenant}/frameworks`
const control = `${frameworks}/{id}/controls/{control_key}`
const changes = {
  host: 'api',
  access: 'compliance:write',
  rate: 'global',
  uses: [{ table: 'write' }],
  resource: 'framework',
  evidence: 'compliance.framework.updated',
  emits: ['compliance.framework.updated'],
} as const

export const compliance = area('compliance', {
  submitEvidence: post(path, {
    volume: true,
    host: 'api',
    access: 'compliance:write',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'put' }],
    evidence: ['compliance.evidence.announced', 'compliance.evidence.submitted'],
    success: 201,
    summary: 'Submits evidence for controls; one that is a file comes with an address to upload it to.',
  }),
  completeUpload: post(`${path}/{id}/complete`, {
    host: 'api',
    access: 'compliance:write',
    resource: 'submitted evidence',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'read' }, { bucket: 'files', access: 'remove' }],
    evidence: 'compliance.evidence.submitted',
    timeoutSeconds: 28,
    memoryMb: 1_769,
    summary: 'Accepts the uploaded file of submitted evidence if it is the one that was announced.',
  }),
  listEvidence: read(path, {
    access: 'compliance:read',
    summary: 'Lists submitted evidence, the newest first.',
  }),
  decideEvidence: post(`${path}/{id}/decision`, {
    host: 'api',
    access: 'compliance:write',
    resource: 'submitted evidence',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'read' }, { queue: 'checks' }],
    evidence: ['compliance.evidence.accepted', 'compliance.evidence.rejected'],
    summary: 'Accepts or rejects submitted evidence. Nobody decides on what they could have submitted.',
  }),
  shareEvidence: get(`${path}/{id}/file`, {
    host: 'api',
    access: 'exports:evidence',
    resource: 'submitted evidence',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'read' }],
    evidence: 'evidence.exported',
    emits: ['artifact.shared'],
    summary: 'Gives out an address to download the file of submitted evidence.',
  }),
  getEvidence: read(`${path}/{id}`, {
    access: 'compliance:read',
    resource: 'submitted evidence',
    summary: 'One piece of submitted evidence.',
  }),
  listFrameworks: read(frameworks, {
    access: 'compliance:read',
    summary: 'Lists the frameworks, enabled or not, with their status and score.',
  }),
  enableFramework: post(`${frameworks}/{id}/enable`, {
    ...changes,
    uses: [{ table: 'write' }, { queue: 'checks' }],
    summary: 'Enables a framework, or changes what is given of one that is enabled, and starts a run of all checks.',
  }),
  disableFramework: post(`${frameworks}/{id}/disable`, {
    ...changes,
    uses: [{ table: 'write' }, { queue: 'checks' }],
    summary:
      'Disables a framework. Its runs, evidence and history stay; violations for which no other framework asks are closed.',
  }),
  listControls: read(`${frameworks}/{id}/controls`, {
    access: 'compliance:read',
    resource: 'framework',
    summary: 'Lists the controls of a framework with their status and what it rests on.',
  }),
  getControl: read(control, {
    access: 'compliance:read',
    resource: 'control',
    summary: 'One control, with the history of its status.',
  }),
  updateControl: patch(control, {
    ...changes,
    resource: 'control',
    evidence: 'compliance.control.updated',
    emits: [],
    summary: 'Sets who looks after a control, and a note on it.',
  }),
  posture: read(`${tenant}/posture`, {
    access: 'compliance:read',
    summary: 'How the tenant stands in its enabled frameworks, and what would raise its scores the most.',
  }),
  exportFramework: post(`${frameworks}/{id}/export`, {
    host: 'api',
    access: 'exports:evidence',
    resource: 'framework',
    rate: 'global',
    uses: [{ table: 'write' }, { queue: 'exports' }, { queue: 'checks' }, { bucket: 'files', access: 'read' }],
    evidence: 'evidence.exported',
    emits: ['artifact.created', 'artifact.shared'],
    success: 202,
    timeoutSeconds: 28,
    memoryMb: 1_769,
    summary: 'Exports a framework for an audit: an archive with proofs, or its controls as JSON, CSV or OSCAL.',
  }),
  listChecks: read(`${tenant}/checks`, {
    access: 'compliance:read',
    summary: 'Lists the checks with what each has found last.',
  }),
  getCheck: read(`${tenant}/checks/{check_id}`, {
    access: 'compliance:read',
    resource: 'check',
    summary: 'One check, with what it found on each day of a window.',
  }),
  startRun: post(`${tenant}/runs`, {
    host: 'api',
    access: 'compliance:write',
    rate: 'global',
    uses: [{ table: 'write' }, { queue: 'checks' }],
    evidence: { none: 'the run leaves its artifact when it ends' },
    success: 202,
    summary: 'Starts a run of checks, of all or of those that are named. While one is open, that one is answered.',
  }),
  getRun: read(`${tenant}/runs/{run_id}`, {
    access: 'compliance:read',
    resource: 'check run',
    summary: 'A run of checks: how far it is, and what it has found.',
  }),
})
