import { area, put, read } from '../../shared/base/wire/route.ts'

export const metrics = area('metrics', {
  overview: read('/api/v1/metrics/overview', {
    access: 'metrics:read',
    summary: 'The main figures of a window, held against the targets of the tenant.',
  }),
  protocol: read('/api/v1/metrics/protocol', {
    access: 'metrics:read',
    summary: 'Executions, latency, approvals, undos, errors and personal data of a window.',
  }),
  piiEvents: read('/api/v1/metrics/pii-events', {
    access: 'executions:read',
    summary: 'Lists findings of personal data, the newest first. They are kept for 400 days and hold no values.',
  }),
  training: read('/api/v1/metrics/training', {
    access: 'metrics:read',
    summary: 'Jobs, quality and cost of training in a window. What is not measured is null.',
  }),
  getTargets: read('/api/v1/metrics/targets', {
    access: 'metrics:read',
    summary: 'Shows the targets of the tenant.',
  }),
  setTargets: put('/api/v1/metrics/targets', {
    host: 'api',
    access: 'metrics:write',
    rate: 'global',
    uses: [{ table: 'write' }],
    evidence: 'metrics.targets.updated',
    summary: 'Replaces the targets of the tenant.',
  }),
})
