import type { Examples } from '../../shared/base/wire/example.ts'
import type { users } from './routes.ts'

export const examples: Examples<typeof users> = {
  invite: { body: { email: 'grace@example.com', roles: ['member'] } },
  update: { body: { name: 'Grace Hopper', status: 'active' } },
  setRoles: { body: { roles: ['member'] } },
  confirm: { body: {} },
  revokeCredentials: { body: { kinds: ['api_keys'] } },
}
