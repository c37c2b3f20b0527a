import type { Examples } from '../../shared/base/wire/example.ts'
import type { metrics } from './routes.ts'

export const examples: Examples<typeof metrics> = {
  setTargets: {
    body: {
      targets: [
        { metric: 'governance_latency_p95_ms', op: 'lte', value: 150 },
        { metric: 'auto_rate', op: 'gte', value: 0.6 },
      ],
    },
  },
}
