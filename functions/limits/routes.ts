import { area, get } from '../../shared/base/wire/route.ts'

export const limits = area('limits', {
  get: get('/api/v1/rate-limit', {
    host: 'both',
    access: 'metrics:read',
    rate: 'global',
    counts: false,
    uses: [{ table: 'read' }],
    evidence: { none: 'reads change nothing' },
    summary: "Shows how full the tenant's windows are. Asking takes nothing from them.",
  }),
})
