import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { evidence } from './routes.ts'

export const examples: Examples<typeof evidence> = {
  verify: {
    responses: {
      200: {
        chain_valid: true,
        total_artifacts: 13,
        first_artifact: '2026-11-20T22:37:00.123Z',
        latest_artifact: '2026-11-20T22:41:12.457Z',
        signature_status: 'all_verified',
        broken_links: 0,
        verification: {
          verification_id: 'ver_01JD3Q8Z5N9R2T4V6X8Z0C2E4G',
          mode: 'incremental',
          checked_at: '2026-11-20T22:45:00.000Z',
          anchored_through: 13,
          unanchored: 0,
          pending: 0,
          tail: { from: 1, to: 13, result: 'valid' },
          completeness: {
            result: 'complete',
            checked_at: '2026-11-20T03:00:12.480Z',
            missing: 0,
            contradicted: 0,
            unnamed: 0,
            examples: [],
          },
          verifier_keys: [],
        },
      },
    },
  },
  createExport: { body: { start_at: '2026-10-01T00:00:00.000Z', end_at: '2026-11-01T00:00:00.000Z' } },
  erase: { body: { data_subject: 'customer-1', reason: 'erasure_request' } },
}

export const variables: Variables<typeof evidence> = {
  '/api/evidence/exports/{export_id}': ['The id of the export.', 'exp_01JD3Q8Z5NC6G8J0M2P4R6T8V0'],
  '/api/evidence/erasures/{id}': ['Its id.', 'ers_01JD3Q8Z5NF2P4R6T8V0X2Z4B6'],
  '/api/evidence/{id}': ['Its id.', 'art_01JD3Q8Z5N2E4G6J8M0P2R4T6V'],
}
