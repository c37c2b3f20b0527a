// The calls of billing against a server that Stripe makes from its own description of its API: whatever the stand-in of this service
// answers, Stripe answers with the same status, kind and members. Runs where STRIPE_MOCK_URL names such a server.
import { expect, test } from 'vitest'
import { textAt, type Tree } from '../../infra/local/payments/form.ts'
import { useLocalStack } from '../support/use-local-stack.ts'

const MOCK = process.env['STRIPE_MOCK_URL']
const local = useLocalStack()

type Call = { method: 'GET' | 'POST'; path: string; form?: Record<string, string> }

const CALLS: Call[] = [
  { method: 'POST', path: '/v1/customers', form: { name: 'Acme', 'metadata[tenant_id]': 'ten_1' } },
  { method: 'GET', path: '/v1/prices?lookup_keys[0]=team_monthly&active=true&limit=1' },
  {
    method: 'POST',
    path: '/v1/checkout/sessions',
    form: {
      mode: 'subscription',
      customer: 'cus_1',
      'line_items[0][price]': 'price_team',
      'line_items[0][quantity]': '1',
      client_reference_id: 'ten_1',
      'subscription_data[metadata][tenant_id]': 'ten_1',
      success_url: 'https://app.example.com/paid',
      cancel_url: 'https://app.example.com/plans',
    },
  },
  {
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    form: { customer: 'cus_1', return_url: 'https://app.example.com/settings' },
  },
  {
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    form: {
      customer: 'cus_1',
      return_url: 'https://app.example.com/plans',
      'flow_data[type]': 'subscription_update_confirm',
      'flow_data[subscription_update_confirm][subscription]': 'sub_1',
      'flow_data[subscription_update_confirm][items][0][id]': 'si_1',
      'flow_data[subscription_update_confirm][items][0][price]': 'price_business',
      'flow_data[after_completion][type]': 'redirect',
      'flow_data[after_completion][redirect][return_url]': 'https://app.example.com/paid',
    },
  },
  {
    method: 'GET',
    path: '/v1/billing/meters/mtr_executions/event_summaries?customer=cus_1&start_time=1795467600&end_time=1795471200&value_grouping_window=hour',
  },
  {
    method: 'POST',
    path: '/v1/billing/meter_events',
    form: {
      event_name: 'countersign_executions',
      identifier: 'ten_1:executions:2026-11-23T21:1',
      timestamp: '1795470000',
      'payload[stripe_customer_id]': 'cus_1',
      'payload[value]': '15',
    },
  },
  { method: 'GET', path: '/v1/billing/meters?status=active&limit=100' },
]

async function ask(base: string, { method, path, form }: Call): Promise<{ status: number; body: Tree }> {
  const answer = await fetch(new URL(path, base), {
    method,
    headers: { authorization: 'Bearer sk_test_123', 'stripe-version': '2026-10-28.endive' },
    ...(form && { body: new URLSearchParams(form) }),
  })
  return { status: answer.status, body: (await answer.json()) as Tree }
}

test.skipIf(!MOCK).for(CALLS.map((call) => [`${call.method} ${call.path.split('?')[0]}`, call] as const))(
  '%s is answered as Stripe does',
  async ([, call]) => {
    const [ours, theirs] = await Promise.all([ask(local.connect.url, call), ask(MOCK ?? '', call)])
    expect(ours.status).toBe(theirs.status)
    expect(ours.body['object']).toBe(theirs.body['object'])
    expect(Object.keys(theirs.body)).toEqual(expect.arrayContaining(Object.keys(ours.body)))
  },
)

test('the stand-in ends an open page once, as Stripe does', async () => {
  const made = CALLS.find(({ path }) => path === '/v1/checkout/sessions')
  const { body } = await ask(local.connect.url, made ?? { method: 'GET', path: '/' })
  const expire: Call = { method: 'POST', path: `/v1/checkout/sessions/${textAt(body, 'id')}/expire`, form: {} }
  expect(await ask(local.connect.url, expire)).toMatchObject({ status: 200, body: { status: 'expired' } })
  expect(await ask(local.connect.url, expire)).toMatchObject({ status: 400 })
})

test('the stand-in answers every one of these calls', async () => {
  for (const call of CALLS)
    expect(await ask(local.connect.url, call)).toMatchObject({ status: 200, body: { object: expect.any(String) } })
})
