import { area, get } from '../../shared/http/route.ts'

const probe = { host: 'both', access: 'public', rate: 'none', evidence: { none: 'reads change nothing' } } as const

export const health = area('health', {
  check: get('/api/health', { ...probe, uses: [{ table: 'read' }], summary: 'Basic check: database, cache, system.' }),
  live: get('/api/health/live', { ...probe, uses: [], summary: 'Liveness: the process answers.' }),
  ready: get('/api/health/ready', {
    ...probe,
    uses: [{ table: 'read' }, { health: true }],
    summary: 'Readiness: asks every dependency.',
  }),
  detailed: get('/api/health/detailed', {
    host: 'both',
    access: 'health:read',
    rate: 'global',
    uses: [{ table: 'read' }, { health: true }],
    evidence: { none: 'reads change nothing' },
    summary: 'Every component with what it says of itself.',
  }),
})
