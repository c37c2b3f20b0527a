import type { Examples } from '../../shared/base/wire/example.ts'
import type { training } from './routes.ts'

export const examples: Examples<typeof training> = {
  createDataset: {
    body: {
      name: 'refund-answers',
      format: 'sft',
      records: [
        {
          prompt: [{ role: 'user', content: 'Refund the late fee of order 7.' }],
          completion: [{ role: 'assistant', content: '{"amount":5,"order_id":"7"}' }],
        },
      ],
    },
  },
  generateDataset: {
    body: {
      name: 'refunds',
      source: 'protocol_executions',
      format: 'dpo',
      filters: {
        start_date: '2026-10-01T00:00:00.000Z',
        end_date: '2026-11-01T00:00:00.000Z',
        min_confidence: 0.5,
      },
    },
  },
  submitFeedback: {
    body: { target_type: 'persona', target_id: 'default', rating: 1, comment: 'Polite and short.' },
  },
  createJob: {
    body: {
      name: 'approval-scorer',
      type: 'approval',
      dataset_id: 'dst_01JD3Q8Z5NS0A2C4E6G8J0M2P4',
      hyperparameters: { epochs: 15, learning_rate: 0.5, l2: 0.00001, seed: 7 },
    },
  },
}
