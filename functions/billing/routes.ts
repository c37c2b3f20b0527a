import { area, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/billing'
const reads = { access: 'billing:read' } as const
const pays = {
  host: 'api',
  access: 'billing:write',
  rate: 'global',
  uses: [{ table: 'write' }, { providers: true }],
} as const

export const billing = area('billing', {
  listPlans: read(`${path}/plans`, {
    access: 'billing:plans',
    summary: 'The plans with their prices, quotas and features, and which one is in effect.',
  }),
  getUsage: read(`${path}/usage`, {
    access: 'billing:plans',
    summary: 'What was used in this period, and of which quota. Test data is counted apart and never billed.',
  }),
  checkout: post(`${path}/checkout`, {
    ...pays,
    evidence: 'billing.checkout.started',
    summary: 'The page where a person pays for a plan, or changes the one that is paid for.',
  }),
  portal: post(`${path}/portal`, {
    ...pays,
    evidence: 'billing.portal.opened',
    summary: 'The page where a person changes the way of payment, reads invoices and cancels.',
  }),
  getSubscription: read(`${path}/subscription`, { ...reads, summary: 'The plan in effect, and what it is paid by.' }),
  listInvoices: read(`${path}/invoices`, { ...reads, summary: 'Lists the invoices, newest first.' }),
  receive: post(`${path}/webhooks/{id}`, {
    host: 'api',
    access: 'provider',
    rate: 'none',
    raw: true,
    bodyBytesMax: 1_048_576,
    uses: [{ providers: true }, { queue: 'billing' }],
    evidence: { none: 'the worker that carries the message out records it' },
    resource: 'payment provider',
    summary: 'Takes the webhooks of the payment provider (`stripe`), signed over the raw body.',
  }),
})
