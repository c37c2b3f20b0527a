import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import { KEY } from '../samples.ts'
import type { webhooks } from './routes.ts'

const webhook = {
  name: 'Ticket system',
  url: 'https://hooks.example.com/countersign',
  events: ['protocol.approval.requested', 'action.rejected'],
}

export const examples: Examples<typeof webhooks> = {
  create: {
    body: webhook,
    responses: {
      201: {
        id: 'whe_01JD3Q8Z5N5K7N9Q1S3V5X7Z9B',
        ...webhook,
        status: 'active',
        secrets: [{ id: 'whs_01JD3Q8Z5N6M8P0R2T4V6X8Z0C', created_at: '2026-11-20T22:37:00.123Z', hint: 'xlU=' }],
        consecutive_failed: 0,
        created_at: '2026-11-20T22:37:00.123Z',
        updated_at: '2026-11-20T22:37:00.123Z',
        created_by: KEY,
        version: 1,
        secret: 'whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGU=',
      },
    },
  },
  update: { body: { status: 'active', version: 3 } },
  test: { body: { type: 'action.rejected' } },
  replay: { body: { delivery_id: 'dlv_01JD3Q8Z5N8P0R2T4V6X8Z0C2E' } },
  rotateSecret: { body: { overlap_seconds: 86_400 } },
  recover: { body: { since: '2026-11-20T00:00:00.000Z', types: ['action.rejected'], dry_run: true } },
}

export const variables: Variables<typeof webhooks> = {
  '/api/webhooks/{id}': ['Its id.', 'whe_01JD3Q8Z5N5K7N9Q1S3V5X7Z9B'],
  '/api/webhooks/deliveries/{id}': ['Its id.', 'dlv_01JD3Q8Z5N8P0R2T4V6X8Z0C2E'],
}
