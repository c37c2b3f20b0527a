import type { Examples } from '../../shared/base/wire/example.ts'
import type { health } from './routes.ts'

const ok = (latency_ms: number) => ({ status: 'ok', latency_ms })

export const examples: Examples<typeof health> = {
  check: {
    responses: {
      200: {
        status: 'healthy',
        timestamp: '2026-11-20T22:37:00.123Z',
        checks: { database: ok(7), cache: ok(1), system: ok(1) },
      },
    },
  },
  live: { responses: { 200: { status: 'alive' } } },
  ready: {
    responses: {
      200: { status: 'ready', checks: { database: ok(7), writes: ok(9), queues: ok(11), bus: ok(7), kms: ok(5) } },
    },
  },
}
