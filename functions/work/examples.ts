import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { work } from './routes.ts'

export const examples: Examples<typeof work> = {
  createTask: {
    body: { title: 'Check the refund rules', labels: ['refunds'], priority: 'high', due_at: '2026-12-01T12:00:00Z' },
  },
  updateTask: { body: { status: 'in_progress', note: 'I look into it.' } },
  registerWorker: {
    body: { type: 'human', name: 'Ada', user_id: '3f0c1f6e-8a52-4f9e-9d55-0c2f6c3d7c11', skills: ['refunds'] },
  },
  updateWorker: { body: { status: 'paused' } },
}

export const variables: Variables<typeof work> = {
  '/api/v1/work/tasks/{id}': ['Its id.', 'tsk_01JD3Q8Z5NH6T8V0X2Z4B6D8F0'],
  '/api/v1/work/workers/{id}': ['Its id.', 'wrk_01JD3Q8Z5NJ8V0X2Z4B6D8F0H2'],
}
