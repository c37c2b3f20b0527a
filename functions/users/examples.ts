import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { users } from './routes.ts'

export const examples: Examples<typeof users> = {
  invite: { body: { email: 'grace@example.com', roles: ['member'] } },
  update: { body: { name: 'Grace Hopper', status: 'active' } },
  setRoles: { body: { roles: ['member'] } },
  confirm: { body: {} },
  revokeCredentials: { body: { kinds: ['api_keys'] } },
}

export const variables: Variables<typeof users> = {
  '/api/v1/users/{id}': ['Its id.', '5eb7d67a-d04d-4bf2-8daf-8899752a99bd'],
  '/api/v1/users/{id}/applications/{client_id}': ['The id of the OAuth client.', 'cli_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'],
}
