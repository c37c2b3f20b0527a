import type { Examples, Variables } from '../../shared/base/wire/example.ts'
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
  createAbTest: {
    body: {
      name: 'Scorer of November',
      slot: 'approval-scorer',
      model_a_id: 'mdl_01JD3Q8Z5NR6D8F0H2J4L6N8Q0',
      model_b_id: 'mdl_01JD3Q8Z5NR6D8F0H2J4L6N8Q1',
    },
  },
  startAbTest: { body: {} },
  completeAbTest: { body: {} },
  submitFeedback: {
    body: { target_type: 'persona', target_id: 'default', rating: 1, comment: 'Polite and short.' },
  },
  cancelJob: { body: {} },
  createJob: {
    body: {
      name: 'approval-scorer',
      type: 'approval',
      dataset_id: 'dst_01JD3Q8Z5NS0A2C4E6G8J0M2P4',
      hyperparameters: { epochs: 15, learning_rate: 0.5, l2: 0.00001, seed: 7 },
    },
  },
  registerModel: {
    body: {
      name: 'support-writer',
      type: 'sft',
      artifact: {
        uri: 's3://models.example.com/support-writer/7',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        bytes: 48_213,
        format: 'safetensors',
      },
      metrics: { eval_loss: 0.31 },
    },
  },
  deployModel: { body: { override_reason: 'Measured by our own benchmark.' } },
  rollbackModel: { body: { reason: 'It holds harmless refunds.' } },
  updatePersona: {
    body: {
      display_name: 'Support',
      system_prompt: 'You are a support agent whose actions are governed.',
      tier_ceiling: 'SOFT',
      denied_nodes: ['billing.**'],
      languages: ['en', 'de'],
    },
  },
}

export const variables: Variables<typeof training> = {
  '/api/v1/ai-training/datasets/{dataset_id}': ['The id of the dataset.', 'dst_01JD3Q8Z5NP4B6D8F0H2J4L6N8'],
  '/api/v1/ai-training/ab-tests/{id}': ['Its id.', 'abt_01JD3Q8Z5NS6D8F0H2J4L6N8Q0'],
  '/api/v1/ai-training/jobs/{job_id}': ['The id of the training job.', 'job_01JD3Q8Z5NS2C4E6G8J0M2P4R6'],
  '/api/v1/ai-training/models/{model_id}': ['The id of the model.', 'mdl_01JD3Q8Z5NR6D8F0H2J4L6N8Q0'],
  '/api/v1/ai-training/personas/{persona_key}': ['The key of the persona.', 'support'],
}
