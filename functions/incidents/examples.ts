import type { Examples } from '../../shared/base/wire/example.ts'
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
