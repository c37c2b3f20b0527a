import { area, read } from '../../shared/base/wire/route.ts'

export const claims = area('claims', {
  snapshot: read('/api/claims', {
    access: 'evidence:read',
    summary: 'What the service says of itself: measured figures, limits and inventory, all of it computed.',
  }),
})
