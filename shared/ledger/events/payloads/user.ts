// Payloads of category user: accounts, sign-ins and second factors.
import * as z from 'zod'
import { maybeText, payload, text, texts, whole } from './fields.ts'

const user_id = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'
const email = 'anna@example.com'

export const user = {
  'user.created': payload(
    { user_id: text, email: maybeText, roles: texts, source: z.enum(['register', 'scim', 'sso', 'invite']) },
    { user_id, email, roles: ['approver'], source: 'invite' },
  ),
  'user.updated': payload(
    { user_id: text, changed_fields: texts, roles: texts, source: text },
    { user_id, changed_fields: ['roles'], roles: ['admin', 'approver'], source: 'scim' },
  ),
  'user.deprovisioned': payload(
    {
      user_id: text,
      email: maybeText,
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
      method: z.enum(['password', 'sso', 'passkey']),
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
      session_id: '5f6e7d8c-9b0a-4c1d-8e2f-3a4b5c6d7e8f',
      anomaly_score: 4,
    },
  ),
  'user.mfa.enabled': payload(
    { user_id: text, factor: z.enum(['totp', 'webauthn', 'passkey']) },
    { user_id, factor: 'passkey' },
  ),
}
