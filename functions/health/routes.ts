import { area, get } from '../../shared/http/route.ts'

const probe = { host: 'both', access: 'public', rate: 'none', evidence: { none: 'reads change nothing' } } as const

export const health = area('health', {
  live: get('/api/health/live', { ...probe, uses: [], summary: 'Liveness: the process answers.' }),
})
