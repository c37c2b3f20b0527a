import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { oauth } from './routes.ts'

const CLIENT_ID = 'cli_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'
const SECRET = 'the-secret-of-the-client'
const CALLBACK = 'https://reporter.example/callback'

export const examples: Examples<typeof oauth> = {
  submitInteraction: { body: { decision: 'allow' } },
  token: {
    body: { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: SECRET, scope: 'governance:read' },
  },
  deviceAuthorization: { body: { client_id: CLIENT_ID, scope: 'openid governance:read' } },
  submitDevice: { body: { user_code: 'WDJB-MJHT' } },
  par: { body: { client_id: CLIENT_ID, response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' } },
  revoke: { body: { token: 'the-refresh-token', client_id: CLIENT_ID } },
  introspect: { body: { token: 'the-access-token', client_id: CLIENT_ID, client_secret: SECRET } },
  userinfoForm: { body: { access_token: 'the-access-token' } },
  confirmLogout: { body: { logout: 'yes' } },
  register: { body: { client_name: 'Reporter', redirect_uris: [CALLBACK], grant_types: ['authorization_code'] } },
  updateRegistration: { body: { client_id: CLIENT_ID, client_name: 'Reporter', redirect_uris: [CALLBACK] } },
}

export const variables: Variables<typeof oauth> = {
  '/oauth/authorize/{uid}': ['The id of the running OAuth sign-in.', 'V1StGXR8_Z5jdHi6B-myT'],
  '/oauth/interaction/{uid}': ['The id of the running OAuth sign-in.', 'V1StGXR8_Z5jdHi6B-myT'],
  '/oauth/device/{uid}': ['The id of the running OAuth sign-in.', 'V1StGXR8_Z5jdHi6B-myT'],
  '/oauth/register/{client_id}': ['The id of the OAuth client.', 'cli_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'],
}
