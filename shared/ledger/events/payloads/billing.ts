// Payloads of category billing: subscriptions, invoices and usage. Money is whole cents.
import { flag, maybeText, payload, text, texts, whole } from './fields.ts'

const subscription = {
  subscription_id: text,
  provider_subscription_id: text,
  plan_id: text,
  status: text,
  quantity: whole,
  current_period_end: text,
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
    { ...subscription, previous_plan_id: maybeText, changed_fields: texts, cancel_at_period_end: flag },
    {
      ...subscriptionExample,
      previous_plan_id: 'team',
      changed_fields: ['plan_id', 'quantity'],
      cancel_at_period_end: false,
    },
  ),
  'subscription.canceled': payload(
    { ...subscription, canceled_at: text, reason: text },
    { ...subscriptionExample, status: 'canceled', canceled_at: '2026-11-20T22:37:00.123Z', reason: 'requested' },
  ),
  'invoice.paid': payload(
    {
      invoice_id: text,
      number: text,
      amount_paid_cents: whole,
      currency: text,
      period_start: text,
      period_end: text,
      subscription_id: maybeText,
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
      meter: text,
      threshold_percent: whole,
      used: whole,
      limit: whole,
      period_start: text,
      period_end: text,
      plan_id: text,
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
