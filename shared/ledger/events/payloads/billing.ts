// Payloads of category billing: subscriptions, invoices and usage. Money is whole cents.
import { flag, maybeText, payload, text, texts, whole } from './fields.ts'

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
