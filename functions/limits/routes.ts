import { area, read } from '../../shared/base/wire/route.ts'

export const limits = area('limits', {
  get: read('/api/v1/rate-limit', {
    host: 'both',
    access: 'metrics:read',
    counts: false,
    summary: "Shows the usage of the tenant's rate limits. This request is not counted.",
  }),
})
