// Payloads about the service itself: webhook endpoints, expiring keys and alerts (extensions of the published list).
import * as z from 'zod'
import { maybeText, maybeWhole, payload, severity, text, texts, whole } from './fields.ts'

const endpoint = {
  endpoint_id: text,
  name: text,
  url_host: text,
  status: z.enum(['active', 'error', 'disabled']),
  consecutive_failed: whole,
  error_since: maybeText,
  last_status_code: maybeWhole,
  last_error_class: maybeText,
  reason: z.enum(['unhealthy', 'gone', 'receiver_request', 'user', 'access_ended']).nullable(),
}
const endpointExample = {
  endpoint_id: 'whe_01JD3Q8Z5NGX9Z1B3D5F7H9K1N',
  name: 'Audit sink',
  url_host: 'hooks.example.com',
  status: 'error',
  consecutive_failed: 5,
  error_since: '2026-11-20T22:37:00.123Z',
  last_status_code: 503,
  last_error_class: null,
  reason: 'unhealthy',
} as const

const alert = {
  alert_id: text,
  rule_id: text,
  severity,
  title: text,
  status: text,
  /** Decimal strings. */
  value: text,
  threshold: text,
  labels: z.record(z.string(), text),
}
const alertExample = {
  alert_id: 'alt_01JD3Q8Z5NHY0A2C4E6G8J0M2P',
  rule_id: 'rul_01JD3Q8Z5NJZ1B3D5F7H9K1N3Q',
  severity: 'high',
  title: 'Approvals are overdue',
  status: 'firing',
  value: '7.5',
  threshold: '5',
  labels: { team: 'risk' },
} as const

export const service = {
  'webhook.endpoint.error': payload(endpoint, endpointExample),
  'webhook.endpoint.recovered': payload(endpoint, {
    ...endpointExample,
    status: 'active',
    consecutive_failed: 0,
    error_since: null,
    last_status_code: 200,
    reason: null,
  }),
  'webhook.endpoint.disabled': payload(endpoint, { ...endpointExample, status: 'disabled' }),
  'api_key.expiring': payload(
    { key_id: text, name: text, hint: text, expires_at: text, scopes: texts, created_by: text },
    {
      key_id: 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM',
      name: 'Support agent',
      hint: 'ak_live_ABCD',
      expires_at: '2026-11-21T22:37:00.123Z',
      scopes: ['agent:execute'],
      created_by: 'usr_01JD3Q8Z5N1B3D5F7H9K1N3Q5S',
    },
  ),
  'credential.transferred': payload(
    {
      credential: z.enum(['api_key', 'oauth_client', 'webhook_endpoint']),
      credential_id: text,
      name: text,
      from_user_id: text,
    },
    {
      credential: 'api_key',
      credential_id: 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM',
      name: 'Directory',
      from_user_id: 'usr_01JD3Q8Z5N1B3D5F7H9K1N3Q5S',
    },
  ),
  'user.credentials_revoked': payload(
    {
      user_id: text,
      api_keys: whole,
      oauth_clients: whole,
      registration_tokens: whole,
      sessions: whole,
      oauth_grants: whole,
      invitations: whole,
      open_requests: whole,
    },
    {
      user_id: 'usr_01JD3Q8Z5N1B3D5F7H9K1N3Q5S',
      api_keys: 2,
      oauth_clients: 1,
      registration_tokens: 0,
      sessions: 3,
      oauth_grants: 1,
      invitations: 0,
      open_requests: 1,
    },
  ),
  'alert.firing': payload(alert, alertExample),
  'alert.acked': payload(alert, { ...alertExample, status: 'acked' }),
  'alert.resolved': payload(alert, { ...alertExample, status: 'resolved' }),
}
