// Findings of the rules about sign-ins and credentials, stored by month.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'

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
