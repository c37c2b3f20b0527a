import type { Examples } from '../../shared/base/wire/example.ts'
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
