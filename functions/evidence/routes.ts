import { area, get, post, read } from '../../shared/base/wire/route.ts'

const reads = { access: 'evidence:read', resource: 'artifact' } as const

export const evidence = area('evidence', {
  latest: read('/api/evidence/latest', {
    ...reads,
    summary: 'Lists evidence artifacts, newest first, filtered by type or execution.',
  }),
  verify: get('/api/evidence/verify', {
    host: 'api',
    access: 'evidence:read',
    rate: 'global',
    uses: [
      { table: 'write' },
      { bucket: 'evidence', access: 'read' },
      { bucket: 'evidence', access: 'put', prefix: 'breaks/' },
      { verifyKey: true },
      { queue: 'checkpoints' },
      { queue: 'verifications' },
    ],
    evidence: 'evidence.chain.verified',
    emits: ['evidence.chain.verified', 'compliance.violation.detected'],
    timeoutSeconds: 28,
    memoryMb: 1_769,
    summary: 'Verifies the evidence chain and its signatures.',
  }),
  checkpoints: read('/api/evidence/checkpoints', {
    ...reads,
    uses: [{ table: 'read' }, { verifyKey: true }],
    summary: 'Lists the signed checkpoints of the chain, newest first, with the keys that verify them.',
  }),
  createExport: post('/api/evidence/exports', {
    host: 'api',
    access: 'exports:evidence',
    rate: 'global',
    uses: [{ table: 'write' }, { queue: 'exports' }, { bucket: 'files', access: 'read' }],
    evidence: 'evidence.exported',
    emits: ['artifact.created'],
    success: 202,
    summary: 'Exports a part of the chain as a pack that anybody can verify offline.',
  }),
  getExport: get('/api/evidence/exports/{export_id}', {
    host: 'api',
    access: 'exports:evidence',
    resource: 'export',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'read' }],
    evidence: { none: 'creating the export was recorded' },
    emits: ['artifact.shared'],
    summary: 'Returns the state of an export and its download URL.',
  }),
  erase: post('/api/evidence/erasures', {
    host: 'api',
    access: 'tenant:security',
    sandbox: true, // each mode has its own payloads
    resource: 'erasure',
    rate: 'global',
    uses: [{ table: 'write' }, { seal: 'erase' }, { bucket: 'files', access: 'remove' }],
    evidence: 'evidence.payload.erased',
    emits: ['action.rejected'],
    success: 202,
    timeoutSeconds: 28,
    summary: 'Makes the payloads of a data subject or of one execution unreadable for ever.',
  }),
  getErasure: read('/api/evidence/erasures/{id}', {
    ...reads,
    access: 'tenant:security',
    sandbox: true, // each mode has its own payloads
    resource: 'erasure',
    summary: 'Returns the progress of an erasure.',
  }),
  get: read('/api/evidence/{id}', {
    ...reads,
    summary: 'Returns one artifact with the exact text that its hash covers.',
  }),
  proof: read('/api/evidence/{id}/proof', {
    ...reads,
    uses: [{ table: 'read' }, { bucket: 'evidence', access: 'read' }, { verifyKey: true }],
    summary: 'Returns a proof for offline use that an artifact is in the signed chain (c2sp.org/tlog-proof).',
  }),
  payload: get('/api/evidence/{id}/payload', {
    host: 'api',
    access: 'exports:evidence',
    resource: 'artifact',
    rate: 'global',
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: 'evidence.payload.opened',
    summary: 'Opens the payload that an artifact commits to, with the salt of the commitment.',
  }),
})
