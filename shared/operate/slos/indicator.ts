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
  node_id: optional(plainText(128)).describe('Id of the node.'),
  action_id: optional(plainText(128)).describe('Id of the action in its manifest.'),
  tier: optional(z.enum(['AUTO', 'SOFT', 'HARD'])).describe(
    'AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.',
  ),
})

/** `edges`: thresholds between which latencies are counted; another one could not be answered exactly. */
export const sliOf = (edges: readonly number[]) =>
  z
    .strictObject({
      metric: z.enum(INDICATORS).describe('The indicator; `custom` is a series that you push yourself.'),
      name: optional(z.string().regex(/^[a-z][a-z0-9_]{0,40}$/, 'must be the name of a custom metric')).describe(
        'The name of a custom series.',
      ),
      filter: optional(Filter).describe('Counts one node, action or tier only, from when an objective first names it.'),
      threshold_ms: optional(
        z
          .int()
          .refine(
            (ms) => edges.includes(ms),
            `must be one of ${edges.join(', ')}: latencies are counted between these.`,
          )
          .meta({ enum: [...edges] }),
      ).describe('A decision is good when it took less than this.'),
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
