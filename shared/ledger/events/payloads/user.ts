// Payloads of category user: accounts, sign-ins and second factors.
import * as z from 'zod'
import { maybeText, payload, text, texts, whole } from './fields.ts'

const user_id = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'
const email = 'anna@example.com'

export const user = {
  'user.created': payload(
    {
      user_id: text.describe('Id of the person.'),
      email: maybeText.describe('The e-mail address.'),
      roles: texts.describe('Roles, by name.'),
      source: z.enum(['register', 'scim', 'sso', 'invite']).describe('How the account was created.'),
    },
    { user_id, email, roles: ['approver'], source: 'invite' },
  ),
  'user.updated': payload(
    {
      user_id: text.describe('Id of the person.'),
      changed_fields: texts.describe('The members that changed.'),
      roles: texts.describe('Roles, by name.'),
      source: text.describe('The origin of the change, such as `scim`.'),
    },
    { user_id, changed_fields: ['roles'], roles: ['admin', 'approver'], source: 'scim' },
  ),
  'user.deprovisioned': payload(
    {
      user_id: text.describe('Id of the person.'),
      email: maybeText.describe('The e-mail address.'),
      source: text.describe('The origin of the change, such as `scim`.'),
      sessions_revoked: whole.describe('The number of sessions that ended.'),
      keys_revoked: whole.describe('The number of API keys that were revoked with the account.'),
      tasks_reassigned: whole.describe('The number of tasks that got a new assignee.'),
    },
    { user_id, email, source: 'scim', sessions_revoked: 2, keys_revoked: 1, tasks_reassigned: 0 },
  ),
  'user.login': payload(
    {
      user_id: text.describe('Id of the person.'),
      method: z.enum(['password', 'sso', 'passkey']).describe('How the person signed in.'),
      mfa: z.enum(['totp', 'webauthn', 'recovery_code', 'none']).describe('The second factor that was used.'),
      ip: text.describe('Source address of the request.'),
      user_agent: text.describe('The User-Agent header of the request.'),
      session_id: text.describe('Id of the session.'),
      anomaly_score: whole.min(0).max(100).describe('How unusual the sign-in is, from 0 to 100.'),
    },
    {
      user_id,
      method: 'password',
      mfa: 'totp',
      ip: '203.0.113.7',
      user_agent: 'Mozilla/5.0',
      session_id: '5f6e7d8c-9b0a-4c1d-8e2f-3a4b5c6d7e8f',
      anomaly_score: 4,
    },
  ),
  'user.mfa.enabled': payload(
    {
      user_id: text.describe('Id of the person.'),
      factor: z.enum(['totp', 'webauthn', 'passkey']).describe('The kind of factor.'),
    },
    { user_id, factor: 'passkey' },
  ),
}
