import type { Examples } from '../../shared/base/wire/example.ts'
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
