import type { Context } from '../../base/context.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { type Alert, ALERT_STATUSES, alerts, alertsKey, type AlertStatus } from './alert.ts'

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
