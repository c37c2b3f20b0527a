import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import { KEY } from '../samples.ts'
import type { keys } from './routes.ts'

export const examples: Examples<typeof keys> = {
  create: {
    body: { name: 'Support agent', kind: 'live', scopes: ['agent:execute'], agent_id: 'agt_support' },
    responses: {
      201: {
        id: KEY.id,
        name: 'Support agent',
        kind: 'live',
        scopes: ['agent:execute'],
        hint: 'ak_live_ABCD',
        service: false,
        agent_id: 'agt_support',
        status: 'active',
        created_by: '5eb7d67a-d04d-4bf2-8daf-8899752a99bd',
        created_at: '2026-11-20T22:37:00.123Z',
        expires_at: '2027-02-18T22:37:00.123Z',
        last_used_at: null,
        replaces: null,
        transferred_at: null,
        key: 'ak_live_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345640lJE3',
      },
    },
  },
  update: { body: { name: 'Nightly' } },
  rotate: { body: { expires_in_days: 90 } },
  revoke: { body: {} },
}

export const variables: Variables<typeof keys> = {
  '/api/v1/api-keys/{id}': ['Its id.', 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'],
}
