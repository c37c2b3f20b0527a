import type { Examples } from '../../shared/base/wire/example.ts'
import type { clients } from './routes.ts'

export const examples: Examples<typeof clients> = {
  create: {
    body: {
      name: 'Reporter',
      type: 'confidential',
      grant_types: ['client_credentials'],
      scopes: ['governance:read'],
    },
  },
  update: { body: { name: 'Reporter', status: 'disabled' } },
  rotateSecret: { body: {} },
  createRegistrationToken: { body: { expires_in: 600 } },
}
