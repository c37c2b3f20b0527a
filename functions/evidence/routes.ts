import { area, get } from '../../shared/http/route.ts'

const reads = {
  host: 'api',
  access: 'evidence:read',
  resource: 'artifact',
  rate: 'global',
  uses: [{ table: 'read' }],
  evidence: { none: 'reads change nothing' },
} as const

export const evidence = area('evidence', {
  latest: get('/api/evidence/latest', {
    ...reads,
    summary: 'Lists evidence artifacts, newest first, filtered by type or execution.',
  }),
  verify: get('/api/evidence/verify', {
    host: 'api',
    access: 'evidence:read',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'evidence', access: 'read' }, { verifyKey: true }, { queue: 'checkpoints' }],
    evidence: 'evidence.chain.verified',
    emits: ['evidence.chain.verified', 'compliance.violation.detected'],
    timeoutSeconds: 28,
    memoryMb: 1_769,
    summary: 'Verifies the evidence chain and its signatures.',
  }),
  get: get('/api/evidence/{id}', {
    ...reads,
    summary: 'One artifact with the exact text that its hash covers.',
  }),
})
