import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { alerts } from './routes.ts'

export const examples: Examples<typeof alerts> = {
  createRule: {
    body: {
      name: 'Actions fail',
      kind: 'threshold',
      metric: 'execution_success',
      aggregation: 'ratio',
      op: 'gt',
      threshold: 0.05,
      window: '15m',
      severity: 'high',
      group_by: ['node_id'],
      notify: { roles: ['admin'] },
    },
  },
  updateRule: { body: { severity: 'medium' } },
  acknowledge: { body: { note: 'I look into it.', snooze_minutes: 60 } },
  resolve: { body: { note: 'The target answers again.' } },
}

export const variables: Variables<typeof alerts> = {
  '/api/v1/tenants/{tenant_id}/alert-rules/{id}': ['Its id.', 'rul_01JD3Q8Z5NJZ1B3D5F7H9K1N3Q'],
  '/api/v1/tenants/{tenant_id}/alerts/{id}': ['Its id.', 'alt_01JD3Q8Z5NHY0A2C4E6G8J0M2P'],
}
