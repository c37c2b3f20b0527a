// An alert rule: the condition under which people are notified, and how.
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
  enabled: z.boolean().describe('Whether it is in force.'),
  kind: z.enum(RULE_KINDS).describe('What the rule looks at: a budget, a figure, its absence, or events.'),
  slo_id: z.string().optional().describe('The objective.'),
  metric: z
    .string()
    .optional()
    .describe('An indicator, a latency, `approvals_overdue`, `approvals_asked` or `custom.<name>`.'),
  aggregation: z
    .enum(AGGREGATIONS)
    .optional()
    .describe(
      'How the figure is made: `ratio` is bad by all, `rate` is for each minute, sums and rates count what is bad.',
    ),
  op: z.enum(OPERATORS).optional().describe('How the figure is compared with the threshold.'),
  threshold: z.number().optional().describe('The value at which the rule fires.'),
  window: z.string().describe('The window that was counted.'),
  for: z.string().describe('The condition must hold for so long before it fires.'),
  resolve_after: z.string().describe('The condition must be false for so long before the alert is resolved.'),
  severity: z.enum(SEVERITIES).describe('The severity.'),
  event_types: z.array(z.string()).optional().describe('The events that the rule waits for.'),
  where: z.record(z.string(), Scalar).optional().describe('Members of the event’s `data` that must be equal.'),
  count: z.int().optional().describe('So many events within the window make it fire.'),
  group_by: z.array(z.literal('node_id')).optional().describe('One alert for each value, here for each node.'),
  notify: z
    .object({
      webhook: z.boolean().describe('Whether webhooks and event streams are told.'),
      roles: z.array(z.string()).describe('Roles, by name.'),
      worker_ids: z
        .array(z.string())
        .default([])
        .describe(
          'Workers who are told: people by mail, and with `task` the one who fits and has least to do by the task. Agents need `task`.',
        ),
      task: z.boolean().describe('Whether a task is opened at the first firing.'),
    })
    .describe('Who is told.'),
  runbook_id: z.string().optional().describe('The runbook of its incidents.'),
  auto_incident: z.boolean().describe('Whether it opens an incident, or joins the one that its rule opened.'),
  auto_resolve: z.boolean().describe('Whether the alert is resolved by itself once the condition no longer holds.'),
  repeat_after: z.string().describe('A mail is sent again when it has fired for so long.'),
  ack_timeout: z.string().describe('An acknowledged alert fires again after so long; `0m`: never.'),
  mute_until: z.string().optional().describe('Until then it sends no mails and opens no tasks and no incidents.'),
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
    unbound: 'bounded',
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
