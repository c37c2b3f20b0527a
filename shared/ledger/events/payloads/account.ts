// Payloads of the categories user (accounts, sign-ins and second factors), billing (subscriptions, invoices and usage, in whole
// cents) and integration (connections to third parties and their syncs).
import * as z from 'zod'
import { flag, maybeText, payload, text, texts, whole } from './fields.ts'

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

const subscription = {
  subscription_id: text.describe('Id of the subscription.'),
  provider_subscription_id: text.describe('Id of the subscription at the payment provider.'),
  plan_id: text.describe('Id of the plan.'),
  status: text.describe('The current state.'),
  quantity: whole.describe('The number of seats.'),
  current_period_end: text.describe('When the paid period ends.'),
}
const subscriptionExample = {
  subscription_id: 'sub_01JD3Q8Z5NET6V8Y0A2C4E6G8J',
  provider_subscription_id: 'sub_1QabcD2eZvKYlo2C',
  plan_id: 'business',
  status: 'active',
  quantity: 12,
  current_period_end: '2026-12-01T00:00:00.000Z',
}

export const billing = {
  'subscription.created': payload(subscription, subscriptionExample),
  'subscription.updated': payload(
    {
      ...subscription,
      previous_plan_id: maybeText.describe('Id of the previous plan.'),
      changed_fields: texts.describe('The members that changed.'),
      cancel_at_period_end: flag.describe('Whether the subscription ends with the paid period.'),
    },
    {
      ...subscriptionExample,
      previous_plan_id: 'team',
      changed_fields: ['plan_id', 'quantity'],
      cancel_at_period_end: false,
    },
  ),
  'subscription.canceled': payload(
    {
      ...subscription,
      canceled_at: text.describe('When it was cancelled.'),
      reason: text.describe('The reason, for people.'),
    },
    { ...subscriptionExample, status: 'canceled', canceled_at: '2026-11-20T22:37:00.123Z', reason: 'requested' },
  ),
  'invoice.paid': payload(
    {
      invoice_id: text.describe('Id of the invoice.'),
      number: text.describe('Number of the invoice.'),
      amount_paid_cents: whole.describe('The amount paid, in hundredths of the currency.'),
      currency: text.describe('Currency (ISO 4217).'),
      period_start: text.describe('Beginning of the period.'),
      period_end: text.describe('End of the period.'),
      subscription_id: maybeText.describe('Id of the subscription.'),
    },
    {
      invoice_id: 'in_1QabcD2eZvKYlo2C',
      number: 'A-0042',
      amount_paid_cents: 119_900,
      currency: 'eur',
      period_start: '2026-11-01T00:00:00.000Z',
      period_end: '2026-12-01T00:00:00.000Z',
      subscription_id: subscriptionExample.subscription_id,
    },
  ),
  'usage.threshold.reached': payload(
    {
      meter: text.describe('What is counted.'),
      threshold_percent: whole.describe('The percentage of the quota that is used.'),
      used: whole.describe('The number used.'),
      limit: whole.describe('What the plan includes.'),
      period_start: text.describe('Beginning of the period.'),
      period_end: text.describe('End of the period.'),
      plan_id: text.describe('Id of the plan.'),
    },
    {
      meter: 'executions',
      threshold_percent: 80,
      used: 80_000,
      limit: 100_000,
      period_start: '2026-11-01T00:00:00.000Z',
      period_end: '2026-12-01T00:00:00.000Z',
      plan_id: 'business',
    },
  ),
}

const connection = {
  connector_id: text.describe('Id of the connector.'),
  connection_id: text.describe('Id of the connection.'),
}
const connectionExample = { connector_id: 'crm', connection_id: 'con_01JD3Q8Z5NCR4T6V8Y0A2C4E6G' }

export const integration = {
  'integration.connected': payload(
    {
      ...connection,
      provider: text.describe('The provider.'),
      scopes_granted: texts.describe('Scopes that the provider granted.'),
      connected_by: maybeText.describe('Id of the person who made the connection.'),
      reauthorized: flag.describe('Whether the connection existed before.'),
    },
    {
      ...connectionExample,
      provider: 'crm',
      scopes_granted: ['contacts.read'],
      connected_by: 'usr_01JD3Q8Z5N1B3D5F7H9K1N3Q5S',
      reauthorized: false,
    },
  ),
  'integration.disconnected': payload(
    {
      ...connection,
      reason: z.enum(['user', 'refresh_failed', 'revoked']).describe('The reason, for people.'),
      revoked_at_provider: flag.describe('Whether the access was revoked at the provider, too.'),
    },
    { ...connectionExample, reason: 'user', revoked_at_provider: true },
  ),
  'integration.sync.completed': payload(
    {
      ...connection,
      job_id: text.describe('Id of the job that does the work.'),
      status: z.enum(['completed', 'partial', 'failed']).describe('The current state.'),
      models: texts.describe('What was synchronised.'),
      records_added: whole.describe('The number of new records.'),
      records_updated: whole.describe('The number of changed records.'),
      records_deleted: whole.describe('The number of deleted records.'),
      duration_ms: whole.describe('How long it took, in ms.'),
      error_code: maybeText.describe('The cause of the error, for programs.'),
    },
    {
      ...connectionExample,
      job_id: 'syn_01JD3Q8Z5NDS5V7X9Z1B3D5F7H',
      status: 'completed',
      models: ['contact'],
      records_added: 12,
      records_updated: 3,
      records_deleted: 0,
      duration_ms: 4_210,
      error_code: null,
    },
  ),
}
