import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import { SEND } from '../samples.ts'
import type { learning } from './routes.ts'

export const examples: Examples<typeof learning> = {
  run: { body: { window_days: 30 } },
  startRun: { body: { stages: ['collect', 'snapshot', 'propose'], dry_run: true } },
  proposeRoutingUpdate: {
    body: {
      type: 'threshold_change',
      node_id: SEND.node_id,
      action_id: SEND.action_id,
      to: 0.4,
      rationale: 'The model has been sure of mails that people rejected.',
    },
  },
  applyRoutingUpdate: { body: {} },
}

export const variables: Variables<typeof learning> = {
  '/api/v1/learning/routing-updates/{id}': ['Its id.', 'rtu_01JD3Q8Z5NRD8F0H2J4L6N8P0R'],
}
