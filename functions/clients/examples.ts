import type { Examples, Variables } from '../../shared/base/wire/example.ts'
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

export const variables: Variables<typeof clients> = {
  '/api/v1/oauth/clients/{client_id}': ['The id of the OAuth client.', 'cli_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'],
}
