import type { Examples } from '../../shared/base/wire/example.ts'
import type { runbooks } from './routes.ts'

export const examples: Examples<typeof runbooks> = {
  create: {
    body: {
      name: 'double-refunds',
      description: 'What to do when refunds are paid twice.',
      trigger: { severities: ['high'] },
      steps: [
        { title: 'Tell the finance team', instructions: 'Name the incident and the time it began.' },
        {
          title: 'Pause refunds',
          kind: 'action',
          node_id: 'billing.payments.gateway',
          action_id: 'pause_refunds',
          payload_template: { reason: '{{incident.title}}' },
        },
      ],
    },
  },
}
