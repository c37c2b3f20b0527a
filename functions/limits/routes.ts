import { area, read } from '../../shared/base/wire/route.ts'

export const limits = area('limits', {
  get: read('/api/v1/rate-limit', {
    host: 'both',
    access: 'metrics:read',
    counts: false,
    summary: "Shows how full the tenant's windows are. Asking takes nothing from them.",
  }),
})
