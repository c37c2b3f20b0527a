import type { Examples } from '../../shared/base/wire/example.ts'
import type { roles } from './routes.ts'

export const examples: Examples<typeof roles> = {
  create: { body: { name: 'hook-keeper', permissions: ['webhooks:read'] } },
  replace: { body: { permissions: ['webhooks:read'] } },
}
