import { area, get } from '../../shared/base/wire/route.ts'

const rows = {
  host: 'api',
  access: 'exports:evidence',
  rate: 'global',
  uses: [{ table: 'write' }, { queue: 'exports' }, { bucket: 'files', access: 'read' }],
  evidence: 'evidence.exported',
  emits: ['artifact.created', 'artifact.shared'],
  timeoutSeconds: 28,
  memoryMb: 1_769,
} as const

export const exports = area('exports', {
  receipts: get('/api/v1/exports/receipts', {
    ...rows,
    summary: 'Exports the receipts of executions as JSON, NDJSON or CSV.',
  }),
  approvals: get('/api/v1/exports/approvals', {
    ...rows,
    summary: 'Exports the decisions on held actions as JSON, NDJSON or CSV.',
  }),
  usage: get('/api/v1/exports/usage', {
    ...rows,
    access: 'exports:usage',
    summary: 'Exports what was used, day by day, as JSON, NDJSON or CSV.',
  }),
  training: get('/api/v1/exports/training', {
    ...rows,
    summary: 'Exports training jobs and their results as JSON, NDJSON or CSV.',
  }),
  get: get('/api/v1/exports/{export_id}', {
    host: 'api',
    access: 'exports:evidence',
    resource: 'export',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'read' }],
    evidence: { none: 'asking for the export was recorded' },
    emits: ['artifact.shared'],
    summary: 'The state of an export that became a file, and where to fetch it.',
  }),
})
