// A service level objective: which share of events must be good over a rolling window.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key } from '../../base/table/entity.ts'
import { builtIn, common, type Defined, operationsKey, shownBeside, versionOf } from '../definitions/definition.ts'
import type { Kind } from '../definitions/definitions.ts'
import { DAY, type Objective } from './budget.ts'
import { OpenSloKept } from './open-slo-metadata.ts'
import { displayName, optional, plainText } from '../../base/wire/fields.ts'
import { MS_EDGES } from '../../base/lib/histogram.ts'

/** Ratios of good events to all events that the metrics count; `custom` is a series that the tenant pushes. */
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

/** Indicators whose events name node, action and tier. */
const FILTERABLE: readonly Indicator[] = ['governance_latency', 'execution_success']

/** Target of the specification: 95 % of decisions in less than 200 ms. */
export const LATENCY_MS = 200

const Filter = z.strictObject({
  node_id: optional(plainText(128)).describe('Id of the node.'),
  action_id: optional(plainText(128)).describe('Id of the action in its manifest.'),
  tier: optional(z.enum(['AUTO', 'SOFT', 'HARD'])).describe(
    'AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.',
  ),
})

/** `edges`: thresholds between which latencies are counted; another one could not be answered exactly. */
const sliOf = (edges: readonly number[]) =>
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

const WINDOWS = ['rolling-1d', 'rolling-7d', 'rolling-28d', 'rolling-30d', 'rolling-90d'] as const
export type Window = (typeof WINDOWS)[number]

export const minutesOf = (window: Window): number => Number(/\d+/.exec(window)?.[0]) * DAY

export const Slo = z.object({
  ...common,
  description: z.string().optional().describe('A description for people.'),
  sli: z
    .object({
      metric: z.enum(INDICATORS).describe('The indicator; `custom` is a series that you push yourself.'),
      name: z.string().optional().describe('The name of a custom series.'),
      filter: Filter.optional().describe(
        'Counts one node, action or tier only, from when an objective first names it.',
      ),
      threshold_ms: z.int().optional().describe('A decision is good when it took less than this.'),
    })
    .describe('What is counted as good.'),
  target_percent: z.number().describe('The share of good events that is aimed at.'),
  measurement_window: z.enum(WINDOWS).describe('The time over which events are counted.'),
  /** With fewer events in the window, the status is `no_data`. */
  min_events: z.int().describe('With fewer events in the window the status is `no_data`.'),
  /** Which burn-rate alerts it opens. */
  alerting: z
    .object({
      page: z.boolean().describe('Severity critical: the budget is gone within days.'),
      ticket: z.boolean().describe('Severity high: the budget is gone before the window ends.'),
    })
    .describe('Which burn-rate alerts the objective opens.'),
  open_slo: OpenSloKept.optional().describe('What the OpenSLO document that it was made from says beside this.'),
})
export type Slo = z.output<typeof Slo>

export const SloView = Slo.omit({ mode: true }).extend(shownBeside)

export const sloView = (slo: Defined<Slo>) => ({ ...slo, version: versionOf(slo) })

export const objectiveOf = ({ target_percent, measurement_window }: Slo): Objective => ({
  target_percent,
  window_minutes: minutesOf(measurement_window),
})

const usual = { measurement_window: 'rolling-28d', min_events: 100, alerting: { page: true, ticket: true } } as const

export const SLOS: Kind<Slo> = {
  resource: 'SLO',
  subject: 'slo',
  prefix: 'slo',
  sort: 'SLO',
  of: entity({
    name: 'SLO',
    unbound: 'bounded',
    schema: Slo,
    key: (of: Space & { id: string }) => ({ pk: operationsKey(of), sk: key('SLO', of.id) }),
  }),
  max: 20,
  builtIn: (space) => [
    {
      ...builtIn('slo', space, 'api-availability'),
      description: 'Requests that the service answered without an error of its own.',
      sli: { metric: 'api_availability' },
      target_percent: 99.9,
      ...usual,
    },
    {
      ...builtIn('slo', space, 'governance-latency'),
      description: 'Decisions made in less than 200 ms.',
      sli: { metric: 'governance_latency', threshold_ms: LATENCY_MS },
      target_percent: 95,
      ...usual,
    },
  ],
  audited: ['name', 'description', 'sli', 'target_percent', 'measurement_window', 'min_events', 'alerting'],
}

const Percent = z.number().gt(0).lt(100)
const Alerting = z.strictObject({
  page: z.boolean().default(true).describe('Severity critical: the budget is gone within days.'),
  ticket: z.boolean().default(true).describe('Severity high: the budget is gone before the window ends.'),
})

const extras = { description: optional(plainText(1_050)).describe('A description for people.') }

export const SloInput = z.strictObject({
  name: displayName(100).describe('A name for people.'),
  ...extras,
  sli: sliOf(MS_EDGES).describe('What is counted as good.'),
  target_percent: Percent.describe('The share of good events that is aimed at.'),
  measurement_window: z.enum(WINDOWS).default('rolling-28d').describe('The time over which events are counted.'),
  min_events: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(100)
    .describe('With fewer events in the window the status is `no_data`.'),
  alerting: Alerting.default({ page: true, ticket: true }).describe('Which burn-rate alerts the objective opens.'),
})
export type SloInput = z.output<typeof SloInput>

export const SloChange = z.strictObject({
  name: optional(displayName(100)).describe('A name for people.'),
  ...extras,
  sli: optional(sliOf(MS_EDGES)).describe('What is counted as good.'),
  target_percent: optional(Percent).describe('The share of good events that is aimed at.'),
  measurement_window: optional(z.enum(WINDOWS)).describe('The time over which events are counted.'),
  min_events: optional(z.int().min(1).max(1_000_000)).describe(
    'With fewer events in the window the status is `no_data`.',
  ),
  alerting: optional(Alerting).describe('Which burn-rate alerts the objective opens.'),
  version: optional(z.int()).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
export type SloChange = z.output<typeof SloChange>
