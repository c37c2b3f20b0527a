import type { Examples } from '../../shared/base/wire/example.ts'
import type { claims } from './routes.ts'

const day = { window: '24h', start_at: '2026-11-18T00:00:00.000Z', end_at: '2026-11-19T00:00:00.000Z' } as const

export const examples: Examples<typeof claims> = {
  snapshot: {
    responses: {
      200: {
        generated_at: '2026-11-20T22:37:00.123Z',
        service_version: '2026-11-20',
        benchmarks: [
          {
            name: 'governance_evaluation_latency',
            p50_ms: 41.2,
            p95_ms: 118.5,
            p99_ms: 171.3,
            target_p95_ms: 200,
            sample_size: 182_455,
            ...day,
            method: 'histogram',
          },
          {
            name: 'webhook_delivery',
            first_attempt_success_percent: 99.1,
            delivered_percent: 99.87,
            p95_ms: 912.4,
            sample_size: 40_112,
            ...day,
            method: 'histogram',
          },
          { name: 'chain_verification', artifacts_per_second: 21_400, sample_size: 96, ...day, method: 'sum' },
        ],
        runtime: {
          node: '24.4.1',
          region: 'eu-central-1',
          deployment: 'aws',
          api_version: '2026-11-20',
          manifest_protocol_versions: ['1.0'],
          limits: {
            api_key_days: 90,
            access_token_minutes: 15,
            refresh_token_days: 7,
            undo_seconds: 30,
            webhook_deadline_seconds: 5,
            webhook_retries: 7,
            scim_max_results: 200,
            page_limit_max: 200,
            body_bytes_max: 262_144,
            approval_expiry_hours: 24,
          },
        },
        inventory: {
          endpoints: 210,
          event_types: 33,
          event_types_extended: 9,
          tiers: ['AUTO', 'SOFT', 'HARD'],
          frameworks: [{ id: 'soc2', group: 'core', controls_total: 61, checks_mapped: 48 }],
          checks: 48,
          connectors: 14,
          nodes_registered: 214,
          trainers: 3,
        },
      },
    },
  },
}
