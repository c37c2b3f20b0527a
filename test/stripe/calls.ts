// What this service asks Stripe, by the method of the client that asks it.
export type Ids = { customer: string; session: string; open: string; subscription: string; invoice: string }

export type Call = { by: string; method: 'GET' | 'POST'; path: string; form?: Record<string, string> }

export const EXAMPLES: Ids = {
  customer: 'cus_1',
  session: 'cs_1',
  open: 'cs_2',
  subscription: 'sub_1',
  invoice: 'in_1',
}

export const callsOn = ({ customer, session, open, subscription, invoice }: Ids): Call[] => [
  { by: 'customers.create', method: 'POST', path: '/v1/customers', form: { 'metadata[tenant_id]': 'ten_1' } },
  {
    by: 'customers.update',
    method: 'POST',
    path: `/v1/customers/${customer}`,
    form: { name: 'Acme', email: 'owner@example.com' },
  },
  { by: 'customers.retrieve', method: 'GET', path: `/v1/customers/${customer}` },
  {
    by: 'customers.search',
    method: 'GET',
    path: `/v1/customers/search?query=${encodeURIComponent("metadata['tenant_id']:'ten_1'")}&limit=100`,
  },
  { by: 'prices.list', method: 'GET', path: '/v1/prices?lookup_keys[0]=team_monthly&active=true&limit=1' },
  {
    by: 'prices.list',
    method: 'GET',
    path: '/v1/prices?lookup_keys[0]=team_monthly&lookup_keys[1]=team_yearly&lookup_keys[2]=business_monthly&limit=100',
  },
  {
    by: 'subscriptionItems.list',
    method: 'GET',
    path: `/v1/subscription_items?subscription=${subscription}&limit=100`,
  },
  {
    by: 'checkout.sessions.create',
    method: 'POST',
    path: '/v1/checkout/sessions',
    form: {
      mode: 'subscription',
      customer,
      'line_items[0][price]': 'price_team',
      'line_items[0][quantity]': '1',
      client_reference_id: 'ten_1',
      'subscription_data[metadata][tenant_id]': 'ten_1',
      success_url: 'https://app.example.com/paid',
      cancel_url: 'https://app.example.com/plans',
    },
  },
  { by: 'checkout.sessions.retrieve', method: 'GET', path: `/v1/checkout/sessions/${session}` },
  { by: 'checkout.sessions.expire', method: 'POST', path: `/v1/checkout/sessions/${open}/expire`, form: {} },
  {
    by: 'billingPortal.sessions.create',
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    form: { customer, return_url: 'https://app.example.com/settings' },
  },
  {
    by: 'billingPortal.sessions.create',
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    form: {
      customer,
      return_url: 'https://app.example.com/plans',
      'flow_data[type]': 'subscription_update_confirm',
      'flow_data[subscription_update_confirm][subscription]': subscription,
      'flow_data[subscription_update_confirm][items][0][id]': 'si_1',
      'flow_data[subscription_update_confirm][items][0][price]': 'price_business',
      'flow_data[subscription_update_confirm][items][0][quantity]': '1',
      'flow_data[after_completion][type]': 'redirect',
      'flow_data[after_completion][redirect][return_url]': 'https://app.example.com/paid',
    },
  },
  { by: 'subscriptions.retrieve', method: 'GET', path: `/v1/subscriptions/${subscription}` },
  { by: 'subscriptions.list', method: 'GET', path: `/v1/subscriptions?customer=${customer}&limit=100` },
  { by: 'invoices.list', method: 'GET', path: `/v1/invoices?customer=${customer}&limit=100` },
  { by: 'invoices.retrieve', method: 'GET', path: `/v1/invoices/${invoice}` },
  { by: 'billing.meters.list', method: 'GET', path: '/v1/billing/meters?status=active&limit=100' },
  {
    by: 'billing.meters.listEventSummaries',
    method: 'GET',
    path:
      `/v1/billing/meters/mtr_executions/event_summaries?customer=${customer}&start_time=1795467600&end_time=1795471200` +
      '&value_grouping_window=hour',
  },
  {
    by: 'billing.meterEvents.create',
    method: 'POST',
    path: '/v1/billing/meter_events',
    form: {
      event_name: 'countersign_executions',
      identifier: 'ten_1:executions:2026-11-23T21:1',
      timestamp: '1795470000',
      'payload[stripe_customer_id]': customer,
      'payload[value]': '15',
    },
  },
]
