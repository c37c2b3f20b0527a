import type { Population, Row } from '../../assure/populations/population.ts'
import { pagesOf } from '../../base/wire/page-of.ts'
import { type Alert, ALERT_STATUSES, alerts as items, alertsKey } from './alert.ts'

/** An alert may fire again under its id, so it is listed by the last time, and not compared with what the chain has of each. */
export const alerts: Population = {
  name: 'alerts',
  columns: [
    'id',
    'starts_at',
    'rule_id',
    'severity',
    'status',
    'occurrences',
    'acked_at',
    'acked_by',
    'resolved_at',
    'resolved_by',
    'resolution',
    'incident_id',
    'task_id',
  ],
  source: 'alerts',
  filter: 'fired last in the window',
  rows: async function* (ctx, { start_at, end_at }) {
    const partitions = ALERT_STATUSES.map((status) => alertsKey(ctx.space, status))
    const pages = pagesOf(ctx, {
      of: items,
      index: 'gsi1',
      descending: false,
      from: start_at,
      to: end_at,
      groups: [{ name: 'all', partitions }],
    })
    for await (const page of pages) yield page.map(rowOf)
  },
}

const rowOf = (alert: Alert): Row => ({
  id: alert.id,
  starts_at: alert.starts_at,
  rule_id: alert.rule_id,
  severity: alert.severity,
  status: alert.status,
  occurrences: alert.occurrences,
  acked_at: alert.acked_at,
  acked_by: alert.acked_by,
  resolved_at: alert.resolved_at,
  resolved_by: alert.resolved_by,
  resolution: alert.resolution,
  incident_id: alert.incident_id,
  task_id: alert.task_id,
})
