// What a request may say of an alert rule.
import * as z from 'zod'
import { EVENT_TYPES, isEventType } from '../../base/catalog/event-types.ts'
import { displayName, id, optional, plainText } from '../../base/wire/fields.ts'
import { AGGREGATIONS, type AlertRule, minutesIn, OPERATORS, RULE_KINDS } from './rule.ts'
import { isMetric, METRIC_PATTERN, MS_METRICS } from './rule-metric.ts'
import { SEVERITIES } from '../definitions/severity.ts'

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
  webhook: z.boolean().default(true),
  roles: z.array(plainText(64)).max(10).default([]),
  worker_ids: z.array(id).max(20).default([]),
  task: z.boolean().default(false),
})

/** Members without a default, of a new rule and of a change alike. */
const condition = {
  slo_id: optional(id),
  metric: optional(
    z.string().refine(isMetric, 'must be a metric of the service, or custom.<name>.').meta({ pattern: METRIC_PATTERN }),
  ),
  aggregation: optional(z.enum(AGGREGATIONS)),
  op: optional(z.enum(OPERATORS)),
  threshold: optional(z.number()),
  event_types: optional(
    z
      .array(z.string().refine(isEventType, 'must be an event type.').meta({ enum: EVENT_TYPES }))
      .min(1)
      .max(20),
  ),
  where: optional(Where),
  count: optional(z.int().min(1).max(10_000)),
  group_by: optional(z.array(z.literal('node_id')).max(1)),
  runbook_id: optional(id),
  mute_until: optional(z.iso.datetime({ precision: 3 })),
}

export const RuleInput = z.strictObject({
  name: displayName(100),
  enabled: z.boolean().default(true),
  kind: z.enum(RULE_KINDS).exclude(['sla']),
  ...condition,
  window: duration(1, DAY).default('15m'),
  for: duration(0, 60).default('5m'),
  resolve_after: duration(0, 60).default('5m'),
  severity: z.enum(SEVERITIES),
  notify: Notify.default({ webhook: true, roles: [], worker_ids: [], task: false }),
  auto_incident: z.boolean().default(false),
  auto_resolve: z.boolean().default(true),
  repeat_after: duration(5, 7 * DAY).default('4h'),
  ack_timeout: duration(0, 7 * DAY).default('8h'),
})
export type RuleInput = z.output<typeof RuleInput>

export const RuleChange = z.strictObject({
  name: optional(displayName(100)),
  enabled: optional(z.boolean()),
  ...condition,
  window: optional(duration(1, DAY)),
  for: optional(duration(0, 60)),
  resolve_after: optional(duration(0, 60)),
  severity: optional(z.enum(SEVERITIES)),
  notify: optional(Notify),
  auto_incident: optional(z.boolean()),
  auto_resolve: optional(z.boolean()),
  repeat_after: optional(duration(5, 7 * DAY)),
  ack_timeout: optional(duration(0, 7 * DAY)),
  version: optional(z.int()),
})
export type RuleChange = z.output<typeof RuleChange>

type Condition = Pick<AlertRule, 'kind' | 'slo_id' | 'metric' | 'aggregation' | 'op' | 'threshold' | 'event_types'> &
  Partial<Pick<AlertRule, 'where' | 'count' | 'group_by' | 'mute_until'>>

export type Problem = { member: string; message: string }

/** What a rule of its kind lacks, or has and cannot use. */
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
