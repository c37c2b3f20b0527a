// What a request may say of an alert rule.
import * as z from 'zod'
import { EVENT_TYPES, isEventType } from '../../base/catalog/event-types.ts'
import { displayName, id, optional, plainText } from '../../base/wire/fields.ts'
import { AGGREGATIONS, type AlertRule, minutesIn, OPERATORS, RULE_KINDS } from './rule.ts'
import { SEVERITIES } from '../definitions/severity.ts'
import { INDICATORS } from '../slos/slo.ts'

/** Latencies: rules about them name a percentile. */
const MS_METRICS: readonly string[] = ['governance_latency', 'end_to_end_latency']

/**
 * What thresholds and absences may be about, beside custom series: good and bad events of the indicators, latencies;
 * `approvals_overdue` counts approvals that missed their SLA.
 */
const METRICS: ReadonlySet<string> = new Set([...INDICATORS, ...MS_METRICS, 'approvals_overdue', 'approvals_asked'])

const CUSTOM = /^custom\.[a-z][a-z0-9_]{0,40}$/

/** Names for which `isMetric` holds, as an expression. */
const METRIC_PATTERN = `^(?:${[...METRICS].filter((name) => name !== 'custom').join('|')}|${CUSTOM.source.slice(1, -1)})$`

const isMetric = (name: string): boolean => (METRICS.has(name) && name !== 'custom') || CUSTOM.test(name)

const DAY = 1_440
const MUTE_DAYS_MAX = 7

const duration = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,4}[mhd]$/, 'must be a number of minutes, hours or days such as 5m, 4h or 1d.')
    .refine((text) => minutesIn(text) >= min && minutesIn(text) <= max, `must be between ${min} and ${max} minutes.`)

const Where = z
  .record(z.string().min(1).max(64), z.union([z.string().max(256), z.number(), z.boolean()]))
  .refine((where) => Object.keys(where).length <= 3, 'must have at most 3 members.')
  .meta({ maxProperties: 3 })

const Notify = z.strictObject({
  webhook: z.boolean().default(true).describe('Whether webhooks and event streams are told.'),
  roles: z.array(plainText(64)).max(10).default([]).describe('Roles, by name.'),
  worker_ids: z
    .array(id)
    .max(20)
    .default([])
    .describe(
      'Workers who are told: people by mail, and with `task` the one who fits and has least to do by the task. Agents need `task`.',
    ),
  task: z.boolean().default(false).describe('Whether a task is opened at the first firing.'),
})

/** Members without a default, of a new rule and of a change alike. */
const condition = {
  slo_id: optional(id).describe('The objective.'),
  metric: optional(
    z.string().refine(isMetric, 'must be a metric of the service, or custom.<name>.').meta({ pattern: METRIC_PATTERN }),
  ).describe('An indicator, a latency, `approvals_overdue`, `approvals_asked` or `custom.<name>`.'),
  aggregation: optional(z.enum(AGGREGATIONS)).describe(
    'How the figure is made: `ratio` is bad by all, `rate` is for each minute, sums and rates count what is bad.',
  ),
  op: optional(z.enum(OPERATORS)).describe('How the figure is compared with the threshold.'),
  threshold: optional(z.number()).describe('The value at which the rule fires.'),
  event_types: optional(
    z
      .array(z.string().refine(isEventType, 'must be an event type.').meta({ enum: EVENT_TYPES }))
      .min(1)
      .max(20),
  ).describe('The events that the rule waits for.'),
  where: optional(Where).describe('Members of the event’s `data` that must be equal.'),
  count: optional(z.int().min(1).max(10_000)).describe('So many events within the window make it fire.'),
  group_by: optional(z.array(z.literal('node_id')).max(1)).describe('One alert for each value, here for each node.'),
  runbook_id: optional(id).describe('The runbook of its incidents.'),
  mute_until: optional(z.iso.datetime({ precision: 3 })).describe(
    'Until then it sends no mails and opens no tasks and no incidents.',
  ),
}

export const RuleInput = z.strictObject({
  name: displayName(100).describe('A name for people.'),
  enabled: z.boolean().default(true).describe('Whether it is in force.'),
  kind: z
    .enum(RULE_KINDS)
    .exclude(['sla'])
    .describe('What the rule looks at: a budget, a figure, its absence, or events.'),
  ...condition,
  window: duration(1, DAY).default('15m').describe('The window that was counted.'),
  for: duration(0, 60).default('5m').describe('The condition must hold for so long before it fires.'),
  resolve_after: duration(0, 60)
    .default('5m')
    .describe('The condition must be false for so long before the alert is resolved.'),
  severity: z.enum(SEVERITIES).describe('The severity.'),
  notify: Notify.default({ webhook: true, roles: [], worker_ids: [], task: false }).describe('Who is told.'),
  auto_incident: z
    .boolean()
    .default(false)
    .describe('Whether it opens an incident, or joins the one that its rule opened.'),
  auto_resolve: z
    .boolean()
    .default(true)
    .describe('Whether the alert is resolved by itself once the condition no longer holds.'),
  repeat_after: duration(5, 7 * DAY)
    .default('4h')
    .describe('A mail is sent again when it has fired for so long.'),
  ack_timeout: duration(0, 7 * DAY)
    .default('8h')
    .describe('An acknowledged alert fires again after so long; `0m`: never.'),
})
export type RuleInput = z.output<typeof RuleInput>

export const RuleChange = z.strictObject({
  name: optional(displayName(100)).describe('A name for people.'),
  enabled: optional(z.boolean()).describe('Whether it is in force.'),
  ...condition,
  window: optional(duration(1, DAY)).describe('The window that was counted.'),
  for: optional(duration(0, 60)).describe('The condition must hold for so long before it fires.'),
  resolve_after: optional(duration(0, 60)).describe(
    'The condition must be false for so long before the alert is resolved.',
  ),
  severity: optional(z.enum(SEVERITIES)).describe('The severity.'),
  notify: optional(Notify).describe('Who is told.'),
  auto_incident: optional(z.boolean()).describe('Whether it opens an incident, or joins the one that its rule opened.'),
  auto_resolve: optional(z.boolean()).describe(
    'Whether the alert is resolved by itself once the condition no longer holds.',
  ),
  repeat_after: optional(duration(5, 7 * DAY)).describe('A mail is sent again when it has fired for so long.'),
  ack_timeout: optional(duration(0, 7 * DAY)).describe('An acknowledged alert fires again after so long; `0m`: never.'),
  version: optional(z.int()).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
export type RuleChange = z.output<typeof RuleChange>

type Condition = Pick<AlertRule, 'kind' | 'slo_id' | 'metric' | 'aggregation' | 'op' | 'threshold' | 'event_types'> &
  Partial<Pick<AlertRule, 'where' | 'count' | 'group_by' | 'mute_until'>>

export type Problem = { member: string; message: string }

/** Members that a rule of its kind lacks, or has and cannot use. */
export function problemsOf(rule: Condition, now: number): Problem[] {
  return [...lacking(rule), ...misplaced(rule), ...impossible(rule, now)]
}

const NEEDS = {
  burn_rate: ['slo_id'],
  threshold: ['metric', 'aggregation', 'op', 'threshold'],
  absence: ['metric'],
  event: ['event_types'],
  sla: [],
} as const

const MEMBERS = [
  'slo_id',
  'metric',
  'aggregation',
  'op',
  'threshold',
  'event_types',
  'where',
  'count',
  'group_by',
] as const

const TAKES: Record<AlertRule['kind'], readonly (typeof MEMBERS)[number][]> = {
  burn_rate: ['slo_id'],
  threshold: ['metric', 'aggregation', 'op', 'threshold', 'group_by'],
  absence: ['metric'],
  event: ['event_types', 'where', 'count'],
  sla: [],
}

const lacking = (rule: Condition): Problem[] =>
  NEEDS[rule.kind]
    .filter((member) => rule[member] === undefined)
    .map((member) => ({ member, message: `must be given for a rule of kind ${rule.kind}.` }))

const misplaced = (rule: Condition): Problem[] =>
  MEMBERS.filter((member) => rule[member] !== undefined && !TAKES[rule.kind].includes(member)).map((member) => ({
    member,
    message: `has no meaning for a rule of kind ${rule.kind}.`,
  }))

function impossible({ metric, aggregation, group_by, mute_until }: Condition, now: number): Problem[] {
  const isPercentile = aggregation?.startsWith('p') ?? false
  const isLatency = metric !== undefined && MS_METRICS.includes(metric)
  const latest = now + MUTE_DAYS_MAX * DAY * 60_000
  return [
    ...(metric !== undefined && isPercentile !== isLatency && aggregation !== undefined
      ? [{ member: 'aggregation', message: 'must be a percentile for a latency, and only for a latency.' }]
      : []),
    ...(group_by?.length && metric !== 'execution_success'
      ? [{ member: 'group_by', message: 'is possible for execution_success only.' }]
      : []),
    ...(mute_until !== undefined && Date.parse(mute_until) > latest
      ? [{ member: 'mute_until', message: `must be at most ${MUTE_DAYS_MAX} days ahead.` }]
      : []),
  ]
}
