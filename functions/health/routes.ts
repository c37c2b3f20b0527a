import { area, get } from '../../shared/base/wire/route.ts'

const probe = { host: 'both', access: 'public', rate: 'none', evidence: { none: 'reads change nothing' } } as const

/** Of the item that shows whether writes are taken. */
const writes = { table: 'write', only: ['HEALTH#*'] } as const

export const health = area('health', {
  check: get('/api/health', { ...probe, uses: [{ table: 'read' }], summary: 'Basic check: database, cache, system.' }),
  live: get('/api/health/live', { ...probe, uses: [], summary: 'Liveness: the process answers.' }),
  ready: get('/api/health/ready', {
    ...probe,
    uses: [{ table: 'read' }, writes, { health: true }],
    summary: 'Readiness: asks every dependency, and writes.',
  }),
  detailed: get('/api/health/detailed', {
    host: 'both',
    access: 'health:read',
    rate: 'global',
    uses: [{ table: 'read' }, writes, { health: true }],
    evidence: { none: 'reads change nothing' },
    summary: 'Every component with what it says of itself.',
  }),
})
