// An alert rule: the condition under which people are told, and how.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key } from '../../base/table/entity.ts'
import { common, type Defined, operationsKey, shownBeside, versionOf } from '../definitions/definition.ts'
import type { Kind } from '../definitions/definitions.ts'
import { builtInRules } from './built-in-rules.ts'
import { SEVERITIES } from '../definitions/severity.ts'

/** `sla` is that of the built-in rule about work that takes too long; nobody makes another one. */
export const RULE_KINDS = ['burn_rate', 'threshold', 'absence', 'event', 'sla'] as const
export const AGGREGATIONS = ['sum', 'rate', 'p50', 'p95', 'p99', 'ratio'] as const
export const OPERATORS = ['gt', 'gte', 'lt', 'lte'] as const

const Scalar = z.union([z.string(), z.number(), z.boolean()])

export const AlertRule = z.object({
  ...common,
  enabled: z.boolean(),
  kind: z.enum(RULE_KINDS),
  slo_id: z.string().optional(),
  metric: z.string().optional(),
  aggregation: z.enum(AGGREGATIONS).optional(),
  op: z.enum(OPERATORS).optional(),
  threshold: z.number().optional(),
  window: z.string(),
  for: z.string(),
  resolve_after: z.string(),
  severity: z.enum(SEVERITIES),
  event_types: z.array(z.string()).optional(),
  /** Members of the event's `data` that must be equal. */
  where: z.record(z.string(), Scalar).optional(),
  /** Events within the window. */
  count: z.int().optional(),
  group_by: z.array(z.literal('node_id')).optional(),
  notify: z.object({
    webhook: z.boolean(),
    roles: z.array(z.string()),
    worker_ids: z.array(z.string()).default([]),
    task: z.boolean(),
  }),
  runbook_id: z.string().optional(),
  auto_incident: z.boolean(),
  auto_resolve: z.boolean(),
  repeat_after: z.string(),
  ack_timeout: z.string(),
  mute_until: z.string().optional(),
})
export type AlertRule = z.output<typeof AlertRule>

export const AlertRuleView = AlertRule.omit({ mode: true }).extend(shownBeside)

export const ruleView = (rule: Defined<AlertRule>) => ({ ...rule, version: versionOf(rule) })

const MINUTES = { m: 1, h: 60, d: 1_440 } as const

/** `5m`, `4h`, `1d` in minutes. */
export const minutesIn = (duration: string): number =>
  Number(duration.slice(0, -1)) * (MINUTES[duration.slice(-1) as keyof typeof MINUTES] ?? 1)

export const RULES: Kind<AlertRule> = {
  resource: 'alert rule',
  subject: 'alert_rule',
  prefix: 'rul',
  sort: 'RULE',
  of: entity({
    name: 'ALERTRULE',
    schema: AlertRule,
    key: (of: Space & { id: string }) => ({ pk: operationsKey(of), sk: key('RULE', of.id) }),
  }),
  max: 50,
  builtIn: builtInRules,
  audited: [
    'name',
    'enabled',
    'kind',
    'slo_id',
    'metric',
    'aggregation',
    'op',
    'threshold',
    'window',
    'for',
    'resolve_after',
    'severity',
    'event_types',
    'where',
    'count',
    'group_by',
    'notify',
    'runbook_id',
    'auto_incident',
    'auto_resolve',
    'repeat_after',
    'ack_timeout',
    'mute_until',
  ],
}
