// An alert: one condition of a rule that came true for one set of labels, until it no longer holds.
import * as z from 'zod'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import type { Context, Space } from '../../base/context.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { SEVERITIES } from '../definitions/severity.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'

export const ALERT_STATUSES = ['firing', 'acked', 'resolved'] as const
export type AlertStatus = (typeof ALERT_STATUSES)[number]

export const RESOLUTIONS = ['recovered', 'manual', 'no_data', 'deleted'] as const

/** Moves that an alert remembers. */
export const HISTORY_MAX = 100

const Instant = z.string()

const Move = z.object({
  at: Instant.describe('When it happened.'),
  status: z.enum(ALERT_STATUSES).describe('The current state.'),
  by: z.string().describe('Who moved it; `system` when its condition did.'),
  note: z.string().optional().describe('A note for people.'),
})

export const Alert = z.object({
  ...resourceMembers,
  rule_id: z.string().describe('Id of the rule.'),
  fingerprint: z.string().describe('What tells the alert from others of its rule.'),
  status: z.enum(ALERT_STATUSES).describe('The current state.'),
  severity: z.enum(SEVERITIES).describe('The severity.'),
  title: z.string().describe('A short title.'),
  labels: z.record(z.string(), z.string()).describe('What the alert is about.'),
  /** Null where nothing was measured, as in rules about absence. */
  value: z
    .number()
    .nullable()
    .describe('What was measured when it was last looked at; null where nothing is measured.'),
  threshold: z.number().nullable().describe('The value at which the rule fires.'),
  /** Start of the present occurrence. */
  starts_at: Instant.describe('When the present occurrence began.'),
  last_evaluated_at: Instant.describe('When its condition was last looked at.'),
  acked_by: z.string().optional().describe('Who acknowledged it.'),
  acked_at: Instant.optional().describe('When it was acknowledged.'),
  snoozed_until: Instant.optional().describe('Until then an acknowledged alert sends no mails.'),
  resolved_by: z.string().optional().describe('Who resolved it; `system` when its condition no longer held.'),
  resolved_at: Instant.optional().describe('When it was resolved.'),
  resolution: z.enum(RESOLUTIONS).optional().describe('How the task ended, in a few words.'),
  occurrences: z.int().describe('How often it fired under this id.'),
  flapping: z.boolean().describe('Whether it fired three times or more within an hour.'),
  /** The last mail that said it fires. */
  notified_at: Instant.optional().describe('When people, or for a breach the authority, were last told of it.'),
  /** Whether webhooks and event streams get its moves, as its rule said when it fired. */
  webhook: z.boolean(),
  incident_id: z.string().optional().describe('The incident that it belongs to.'),
  task_id: z.string().optional().describe('Id of the task.'),
  /** The oldest are dropped. */
  history: z.array(Move).describe('Its last moves, the oldest first.'),
  /** Firings of the last hour, for telling a flapping alert. */
  fired: z.array(Instant),
  /** Since then its condition has been false at every look. */
  clear_since: Instant.optional(),
  /** When there was last anything to judge. */
  data_at: Instant,
})
export type Alert = z.output<typeof Alert>
export type Move = z.output<typeof Move>

export const AlertView = Alert.omit({ mode: true, webhook: true, fired: true, clear_since: true, data_at: true })

export const alertsKey = (space: Space, status: AlertStatus): string => spaceKey(space, 'ALERTS', status)

export const alerts = entity({
  name: 'ALERT',
  unbound: 'bounded',
  schema: Alert,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'ALERT', of.id), sk: 'ALERT' }),
  index: (alert) => ({ gsi1pk: alertsKey(alert, alert.status), gsi1sk: key(alert.starts_at, alert.id) }),
})

const DAY_S = 86_400

const LastAlert = z.object({
  ...spaceMembers,
  fingerprint: z.string(),
  alert_id: z.string(),
  rule_id: z.string(),
  resolved_at: Instant.optional(),
})
export type LastAlert = z.output<typeof LastAlert>

/** The present or last alert of a fingerprint: there is never more than one open. */
export const lastAlerts = entity({
  name: 'OPENALERT',
  unbound: 'bounded',
  schema: LastAlert,
  key: (of: Space & { fingerprint: string }) => ({ pk: lastAlertsKey(of), sk: of.fingerprint }),
  ttl: ({ resolved_at }) =>
    resolved_at === undefined ? undefined : Math.floor(Date.parse(resolved_at) / 1_000) + DAY_S,
})

export const lastAlertsKey = (space: Space): string => spaceKey(space, 'OPENALERT')

export const fingerprintOf = (rule_id: string, labels: Alert['labels']): string =>
  sha256Hex(`${rule_id}${canonicalJson(labels)}`)

/** The alerts of a space that are firing or acknowledged, by their pointers. */
export async function openAlerts({ table, space }: Pick<Context, 'table' | 'space'>) {
  const last = await table.query(lastAlerts, { pk: lastAlertsKey(space) })
  return last.filter(({ resolved_at }) => resolved_at === undefined)
}

type Filters = { status?: AlertStatus | undefined; severity?: string | undefined; rule_id?: string | undefined }

/** Firing before acknowledged before resolved, the newest of each first. */
export function listAlerts(ctx: Context, operation: string, query: ListQuery & Filters) {
  const { status, severity, rule_id } = query
  const statuses = status ? [status] : ALERT_STATUSES
  const matches = (alert: Alert) =>
    statuses.includes(alert.status) && // the index may lag behind
    (severity ?? alert.severity) === alert.severity &&
    (rule_id ?? alert.rule_id) === alert.rule_id
  return paginate(ctx, operation, query, {
    of: alerts,
    index: 'gsi1',
    groups: statuses.map((name) => ({ name, partitions: [alertsKey(ctx.space, name)] })),
    filter: matches,
  })
}
