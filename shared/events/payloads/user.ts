// Payloads of category user: accounts, sign-ins and second factors.
import * as z from 'zod'
import { payload, text, texts, whole } from './fields.ts'

const user_id = 'usr_01JD3Q8Z5N1B3D5F7H9K1N3Q5S'
const email = 'anna@example.com'

export const user = {
  'user.created': payload(
    { user_id: text, email: text, roles: texts, source: z.enum(['register', 'scim', 'sso', 'invite']) },
    { user_id, email, roles: ['approver'], source: 'invite' },
  ),
  'user.updated': payload(
    { user_id: text, changed_fields: texts, roles: texts, source: text },
    { user_id, changed_fields: ['roles'], roles: ['admin', 'approver'], source: 'scim' },
  ),
  'user.deprovisioned': payload(
    {
      user_id: text,
      email: text,
      source: text,
      sessions_revoked: whole,
      keys_revoked: whole,
      tasks_reassigned: whole,
    },
    { user_id, email, source: 'scim', sessions_revoked: 2, keys_revoked: 1, tasks_reassigned: 0 },
  ),
  'user.login': payload(
    {
      user_id: text,
      method: z.enum(['password', 'sso']),
      mfa: z.enum(['totp', 'webauthn', 'recovery_code', 'none']),
      ip: text,
      user_agent: text,
      session_id: text,
      anomaly_score: whole.min(0).max(100),
    },
    {
      user_id,
      method: 'password',
      mfa: 'totp',
      ip: '203.0.113.7',
      user_agent: 'Mozilla/5.0',
      session_id: 'ses_01JD3Q8Z5NBQ3S5V7X9Z1B3D5F',
      anomaly_score: 4,
    },
  ),
  'user.mfa.enabled': payload(
    { user_id: text, factor: z.enum(['totp', 'webauthn', 'passkey']) },
    { user_id, factor: 'passkey' },
  ),
}
