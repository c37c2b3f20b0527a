// An alert: one condition of a rule that came true for one set of labels, until it no longer holds.
import * as z from 'zod'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import type { Space } from '../../base/context.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { SEVERITIES } from '../definitions/severity.ts'

export const ALERT_STATUSES = ['firing', 'acked', 'resolved'] as const
export type AlertStatus = (typeof ALERT_STATUSES)[number]

export const RESOLUTIONS = ['recovered', 'manual', 'no_data', 'deleted'] as const

/** Moves that an alert remembers. */
export const HISTORY_MAX = 100

const Instant = z.string()

const Move = z.object({
  at: Instant,
  status: z.enum(ALERT_STATUSES),
  /** Who moved it; `system` when its condition did. */
  by: z.string(),
  note: z.string().optional(),
})

export const Alert = z.object({
  ...resourceMembers,
  rule_id: z.string(),
  fingerprint: z.string(),
  status: z.enum(ALERT_STATUSES),
  severity: z.enum(SEVERITIES),
  title: z.string(),
  labels: z.record(z.string(), z.string()),
  /** Null where nothing was measured, as in rules about absence. */
  value: z.number().nullable(),
  threshold: z.number().nullable(),
  /** Of the present occurrence. */
  starts_at: Instant,
  last_evaluated_at: Instant,
  acked_by: z.string().optional(),
  acked_at: Instant.optional(),
  snoozed_until: Instant.optional(),
  resolved_by: z.string().optional(),
  resolved_at: Instant.optional(),
  resolution: z.enum(RESOLUTIONS).optional(),
  /** How often it fired under this id. */
  occurrences: z.int(),
  flapping: z.boolean(),
  /** The last mail that said it fires. */
  notified_at: Instant.optional(),
  /** Whether webhooks and event streams are told of its moves, as its rule said when it fired. */
  webhook: z.boolean(),
  incident_id: z.string().optional(),
  task_id: z.string().optional(),
  /** The oldest are dropped. */
  history: z.array(Move),
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
  schema: LastAlert,
  key: (of: Space & { fingerprint: string }) => ({ pk: lastAlertsKey(of), sk: of.fingerprint }),
  ttl: ({ resolved_at }) =>
    resolved_at === undefined ? undefined : Math.floor(Date.parse(resolved_at) / 1_000) + DAY_S,
})

export const lastAlertsKey = (space: Space): string => spaceKey(space, 'OPENALERT')

export const fingerprintOf = (rule_id: string, labels: Alert['labels']): string =>
  sha256Hex(`${rule_id}${canonicalJson(labels)}`)
