import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { slos } from './routes.ts'

export const examples: Examples<typeof slos> = {
  create: {
    body: {
      name: 'Payments are carried out',
      sli: { metric: 'execution_success', filter: { node_id: 'billing.payments.gateway' } },
      target_percent: 99.5,
      measurement_window: 'rolling-7d',
    },
  },
  update: { body: { target_percent: 99 } },
}

export const variables: Variables<typeof slos> = {
  '/api/v1/operations/slos/{id}': ['Its id.', 'slo_01JD3Q8Z5NK0X2Z4B6D8F0H2J4'],
}
