// What an objective is about: a ratio of good events to all events, counted by the metrics.
import * as z from 'zod'
import { optional, plainText } from '../../base/wire/fields.ts'

/** Ratios that the service counts by itself; `custom` is a series that the tenant pushes. */
export const INDICATORS = [
  'api_availability',
  'governance_latency',
  'execution_success',
  'approval_timeliness',
  'webhook_delivery',
  'evidence_integrity',
  'training_success',
  'sync_success',
  'custom',
] as const
export type Indicator = (typeof INDICATORS)[number]

/** Those whose events name node, action and tier. */
const FILTERABLE: readonly Indicator[] = ['governance_latency', 'execution_success']

/** Target of the specification: 95 % of decisions in less than 200 ms. */
export const LATENCY_MS = 200

export const Filter = z.strictObject({
  node_id: optional(plainText(128)),
  action_id: optional(plainText(128)),
  tier: optional(z.enum(['AUTO', 'SOFT', 'HARD'])),
})

/** `edges`: thresholds between which latencies are counted; another one could not be answered exactly. */
export const sliOf = (edges: readonly number[]) =>
  z
    .strictObject({
      metric: z.enum(INDICATORS),
      name: optional(z.string().regex(/^[a-z][a-z0-9_]{0,40}$/, 'must be the name of a custom metric')),
      filter: optional(Filter),
      threshold_ms: optional(
        z
          .int()
          .refine(
            (ms) => edges.includes(ms),
            `must be one of ${edges.join(', ')}: latencies are counted between these.`,
          )
          .meta({ enum: [...edges] }),
      ),
    })
    .superRefine(({ metric, name, filter, threshold_ms }, issues) => {
      const refuse = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
      if ((metric === 'custom') !== (name !== undefined))
        refuse('name', 'must be given for custom metrics, and only for them.')
      if (filter && !FILTERABLE.includes(metric)) refuse('filter', `is possible for ${FILTERABLE.join(' and ')} only.`)
      if (threshold_ms !== undefined && metric !== 'governance_latency')
        refuse('threshold_ms', 'is possible for governance_latency only.')
    })

export type Sli = {
  metric: Indicator
  name?: string | undefined
  filter?: z.output<typeof Filter> | undefined
  threshold_ms?: number | undefined
}
