// A service level objective: which share of events must be good over a rolling window.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key } from '../../base/table/entity.ts'
import { builtIn, common, type Defined, operationsKey, shownBeside, versionOf } from '../definitions/definition.ts'
import type { Kind } from '../definitions/definitions.ts'
import { DAY, type Objective } from './budget.ts'
import { Filter, INDICATORS, LATENCY_MS } from './indicator.ts'

export const WINDOWS = ['rolling-1d', 'rolling-7d', 'rolling-28d', 'rolling-30d', 'rolling-90d'] as const
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
  /** With fewer events in the window, nothing is said about them. */
  min_events: z.int().describe('With fewer events in the window the status is `no_data`.'),
  /** Which burn-rate alerts it opens. */
  alerting: z
    .object({
      page: z.boolean().describe('Severity critical: the budget is gone within days.'),
      ticket: z.boolean().describe('Severity high: the budget is gone before the window ends.'),
    })
    .describe('Which burn-rate alerts the objective opens.'),
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
