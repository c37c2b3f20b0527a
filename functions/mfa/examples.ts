import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { mfa } from './routes.ts'

export const examples: Examples<typeof mfa> = {
  beginTotp: { body: { name: 'Phone' } },
  confirmTotp: { body: { factor_id: 'mfa_01JD3Q8Z5N7V2W9X4Y6T1S0RPM', code: '000000' } },
  passkeyOptions: { body: { purpose: 'register' } },
  addPasskey: { body: { challenge_id: 'cha_01JD3Q8Z5N7V2W9X4Y6T1S0RPM', credential: {}, name: 'Key' } },
  createRecoveryCodes: { body: {} },
  verify: { body: { method: 'totp', code: '000000' } },
  changePolicy: { body: { enforcement: 'optional', grace_days: 14 } },
}

export const variables: Variables<typeof mfa> = {
  '/api/v1/auth/mfa/{factor_id}': ['The id of the second factor.', 'mfa_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'],
  '/api/v1/users/{id}': ['Its id.', '5eb7d67a-d04d-4bf2-8daf-8899752a99bd'],
}
