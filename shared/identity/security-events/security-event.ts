// Findings of the rules about sign-ins and credentials, stored by month.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { monthsBack } from '../../base/lib/days.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { tenantOf } from '../../base/tenant/find.ts'

export const SECURITY_EVENT_TYPES = [
  'brute_force',
  'credential_stuffing',
  'impossible_travel',
  'new_country',
  'new_device',
  'refresh_reuse',
  'unknown_key_flood',
  'mfa_flood',
  'break_glass',
  'service_key_orphaned',
] as const
export type SecurityEventType = (typeof SECURITY_EVENT_TYPES)[number]

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const

export const SecurityEvent = z.object({
  tenant_id: z.string(),
  id: z.string().describe('The id, which never changes.'),
  type: z.enum(SECURITY_EVENT_TYPES).describe('The rule that fired.'),
  severity: z.enum(SEVERITIES).describe('The severity.'),
  at: z.string().describe('When it happened.'),
  /** null: no known account of the tenant is concerned. */
  user_id: z.string().nullable().describe('Id of the person.'),
  ip: z.string().describe('Source address of the request.'),
  /** ISO 3166-1 alpha-2. */
  country: z.string().nullable().describe('Country of the address (ISO 3166-1 alpha-2), where it is known.'),
  /** What the service did about it, as one word: `blocked`, `delayed`, `notified` … */
  action_taken: z.string().describe('What the service did automatically.'),
  /** Figures and names, never an e-mail address or a secret. */
  details: z.record(z.string(), z.union([z.string(), z.number()])).describe('What the rule found.'),
})
export type SecurityEvent = z.output<typeof SecurityEvent>

/** The tenant of events about addresses without an account. */
export const NOBODYS_TENANT = 'platform'

/** `month` is `yyyy-mm`. People sign in to live mode, so test mode has none. */
export const securityEventsPartition = (space: Space, month: string): string => spaceKey(space, 'SECEVENT', month)

export const securityEvents = entity({
  name: 'SECEVENT',
  unbound: 'bounded',
  schema: SecurityEvent,
  key: (of: Pick<SecurityEvent, 'tenant_id' | 'at' | 'id'>) => ({
    pk: securityEventsPartition({ tenant_id: of.tenant_id, mode: 'live' }, of.at.slice(0, 7)),
    sk: of.id,
  }),
})

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
