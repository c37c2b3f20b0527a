// What training came to in a window. There is no training yet, so nothing is known: null says so, and 0 would not.
import * as z from 'zod'
import { iso } from '../../base/lib/clock.ts'
import type { MetricsWindow } from './window.ts'

const figure = z.number().nullable()

export const TrainingMetrics = z.object({
  window: z.string(),
  as_of: z.string(),
  jobs: z.object({ completed: figure, failed: figure, completion_rate: figure, p50_s: figure }),
  quality: z.array(
    z.object({
      slot: z.string(),
      version: z.int(),
      accuracy: figure,
      auc: figure,
      ece: figure,
      live_agreement: figure,
    }),
  ),
  cost: z.object({
    compute_seconds: figure,
    estimated_usd: figure,
    by_trainer: z.array(z.object({ trainer: z.string(), compute_seconds: figure, estimated_usd: figure })),
  }),
  datasets: z.object({ total: figure, rows: figure, pairs: figure }),
})
export type TrainingMetrics = z.output<typeof TrainingMetrics>

export const trainingMetrics = ({ name, asOf }: MetricsWindow): TrainingMetrics => ({
  window: name,
  as_of: iso(asOf),
  jobs: { completed: null, failed: null, completion_rate: null, p50_s: null },
  quality: [],
  cost: { compute_seconds: null, estimated_usd: null, by_trainer: [] },
  datasets: { total: null, rows: null, pairs: null },
})
