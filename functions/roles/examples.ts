import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { roles } from './routes.ts'

export const examples: Examples<typeof roles> = {
  create: { body: { name: 'hook-keeper', permissions: ['webhooks:read'] } },
  replace: { body: { permissions: ['webhooks:read'] } },
}

export const variables: Variables<typeof roles> = {
  '/api/v1/roles/{role}': ['The name of the role.', 'hook-keeper'],
}
