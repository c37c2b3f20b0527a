import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { integrations } from './routes.ts'

const document = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  paths: { '/notes/{id}': { get: { operationId: 'getNote', tags: ['notes'] } } },
}

export const examples: Examples<typeof integrations> = {
  createConnector: {
    body: {
      id: 'notes',
      name: 'Notes',
      base_url: 'https://api.example.com/v1',
      auth: { type: 'bearer' },
      openapi: JSON.stringify(document),
    },
  },
  updateConnector: { body: { purpose: 'Notes of the support team', data_categories: ['notes'] } },
  startAuth: { body: {} },
  sync: { body: {} },
  completeAuth: { body: { credentials: { token: 'the-token-of-the-api' } } },
  disconnect: { body: { reason: 'No longer used' } },
  publish: { body: { groups: ['notes'] } },
}

export const variables: Variables<typeof integrations> = {
  '/api/v1/integration-fabric/connectors/{id}': ['Its id.', 'notes'],
  '/api/v1/integration-fabric/connectors/{id}/sync/{job_id}': [
    'The id of the sync job.',
    'syn_01JD3Q8Z5NDS5V7X9Z1B3D5F7H',
  ],
  '/api/webhooks/{id}': ['Its id.', 'nango'],
}
