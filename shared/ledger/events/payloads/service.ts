// Payloads about the service itself: webhook endpoints, expiring keys and alerts (extensions of the published list).
import * as z from 'zod'
import { maybeText, maybeWhole, payload, severity, text, texts, whole } from './fields.ts'

const endpoint = {
  endpoint_id: text.describe('Id of the webhook endpoint.'),
  name: text.describe('A name for people.'),
  url_host: text.describe('Host of the address.'),
  status: z.enum(['active', 'error', 'disabled']).describe('The current state.'),
  consecutive_failed: whole.describe('The number of consecutive deliveries that failed after all retries.'),
  error_since: maybeText.describe('When the endpoint went into error.'),
  last_status_code: maybeWhole.describe('The HTTP status of the last response.'),
  last_error_class: maybeText.describe('The kind of the last failure.'),
  reason: z
    .enum(['unhealthy', 'gone', 'receiver_request', 'user', 'access_ended'])
    .nullable()
    .describe('The reason, for people.'),
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
  alert_id: text.describe('Id of the alert.'),
  rule_id: text.describe('Id of the rule.'),
  severity,
  title: text.describe('A short title.'),
  status: text.describe('The current state.'),
  /** Decimal strings. */
  value: text.describe('The measured value.'),
  threshold: text.describe('The value at which the rule fires.'),
  labels: z.record(z.string(), text).describe('What the alert is about.'),
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
    {
      key_id: text.describe('Id of the API key.'),
      name: text.describe('A name for people.'),
      hint: text.describe('The first 12 characters, by which people can recognise it.'),
      expires_at: text.describe('When it expires.'),
      scopes: texts.describe('The scopes of the credential.'),
      created_by: text.describe('The caller that created it.'),
    },
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
      credential: z.enum(['api_key', 'oauth_client', 'webhook_endpoint']).describe('The kind of the credential.'),
      credential_id: text.describe('Id of the key, client or webhook endpoint.'),
      name: text.describe('A name for people.'),
      from_user_id: text.describe('Id of the removed person.'),
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
      user_id: text.describe('Id of the person.'),
      api_keys: whole.describe('How many keys were revoked.'),
      oauth_clients: whole.describe('How many clients were deleted.'),
      registration_tokens: whole.describe('How many tokens were revoked.'),
      sessions: whole.describe('How many sessions ended.'),
      oauth_grants: whole.describe('How many grants ended.'),
      invitations: whole.describe('How many invitations ended.'),
      open_requests: whole.describe('How many requests were cancelled.'),
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
