import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { incidents } from './routes.ts'

export const examples: Examples<typeof incidents> = {
  create: {
    body: {
      title: 'Refunds are paid twice',
      severity: 'sev2',
      affected: { node_ids: ['billing.payments.gateway'] },
    },
  },
  update: { body: { status: 'investigating', note: 'The gateway repeats requests after a time-out.' } },
}

export const variables: Variables<typeof incidents> = {
  '/api/v1/operations/incidents/{id}': ['Its id.', 'inc_01JD3Q8Z5NM2Z4B6D8F0H2J4L6'],
}
