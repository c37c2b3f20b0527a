import type { Context } from '../../base/context.ts'
import { monthsBack } from '../../base/lib/days.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { type SecurityEvent, securityEvents, securityEventsPartition } from './security-event.ts'

/** `start_at` inclusive, `end_at` exclusive (ISO 8601). */
export type SecurityEventQuery = ListQuery &
  Partial<Record<'type' | 'severity' | 'user_id' | 'start_at' | 'end_at', string | undefined>>

/** Newest first, month after month; `operation` is what a cursor belongs to. */
export async function listSecurityEvents(ctx: Context, operation: string, query: SecurityEventQuery) {
  const { type, severity, user_id, start_at, end_at } = query
  const { created_at } = await tenantOf(ctx.table, ctx.space.tenant_id)
  const oldest = Math.max(Date.parse(created_at), start_at ? Date.parse(start_at) : 0)
  const newest = Math.min(ctx.now(), end_at ? Date.parse(end_at) : Number.POSITIVE_INFINITY)
  const same = (wanted: string | undefined, value: string | null) => wanted === undefined || wanted === value
  const matches = (event: SecurityEvent) =>
    same(type, event.type) &&
    same(severity, event.severity) &&
    same(user_id, event.user_id) &&
    (start_at === undefined || event.at >= start_at) &&
    (end_at === undefined || event.at < end_at)
  return paginate(ctx, operation, query, {
    of: securityEvents,
    groups: months(newest, oldest).map((month) => ({
      name: month,
      partitions: [securityEventsPartition(ctx.space, month)],
    })),
    filter: matches,
  })
}

const months = (newest: number, oldest: number) => (newest < oldest ? [] : monthsBack(newest, oldest))
