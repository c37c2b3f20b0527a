import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { auth } from './routes.ts'

const TOKEN = 'one-time-token-of-the-mail'
const signIn = { body: { email: 'ada@example.com', password: 'correct horse battery staple' } }
const renewal = { body: { refresh_token: 'rt_ABCDEFGHIJKLMNOPQRSTUVWXYZ' } }

export const examples: Examples<typeof auth> = {
  register: {
    body: {
      email: 'ada@example.com',
      password: 'correct horse battery staple',
      name: 'Ada Lovelace',
      tenant_name: 'Acme',
    },
  },
  login: signIn,
  loginUnversioned: signIn,
  passkeyOptions: { body: {} },
  signInWithPasskey: { body: { credential: { id: 'wMqOeRFDM7nEKbzd0rZxQg', type: 'public-key', response: {} } } },
  refresh: renewal,
  refreshUnversioned: renewal,
  logout: { body: {} },
  updateMe: { body: { name: 'Ada' } },
  forgotPassword: { body: { email: 'ada@example.com' } },
  resetPassword: { body: { token: TOKEN, password: 'correct horse battery staple' } },
  changePassword: { body: { current_password: 'not the present one', new_password: 'another battery staple' } },
  resendVerification: { body: { email: 'ada@example.com' } },
  setSessionPolicy: { body: { lifetime_s: 604_800, refresh_ttl_s: 86_400, password_min_length: 14 } },
  submitVerification: { body: { token: TOKEN, password: 'correct horse battery staple' } },
  submitForgot: { body: { email: 'ada@example.com' } },
  submitPassword: {
    body: { token: TOKEN, password: 'correct horse battery staple', repeated: 'correct horse battery staple' },
  },
}

export const variables: Variables<typeof auth> = {
  '/api/v1/auth/sessions/{id}': ['Its id.', '0d4a7c1e-52c9-4b7e-9a3f-6f1f0c8f2b11'],
  '/api/v1/auth/applications/{client_id}': ['The id of the OAuth client.', 'cli_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'],
}
