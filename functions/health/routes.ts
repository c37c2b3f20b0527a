import { area, read } from '../../shared/base/wire/route.ts'

const probe = { host: 'both', access: 'public', rate: 'none' } as const

/** Access to the item that tests whether the database accepts writes. */
const writes = { table: 'write', only: ['HEALTH#*'] } as const

export const health = area('health', {
  check: read('/api/health', { ...probe, summary: 'Basic check: database, cache, system.' }),
  live: read('/api/health/live', { ...probe, uses: [], summary: 'Liveness: the process answers.' }),
  ready: read('/api/health/ready', {
    ...probe,
    uses: [{ table: 'read' }, writes, { health: true }],
    summary: 'Readiness: checks every dependency and writes to the database.',
  }),
  detailed: read('/api/health/detailed', {
    host: 'both',
    access: 'health:read',
    uses: [{ table: 'read' }, writes, { health: true }],
    summary: 'Lists every component with its state and details.',
  }),
})
