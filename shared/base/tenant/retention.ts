// How long sealed payloads are kept. What plan and settings give counts once the service has stated it in the chain, and fewer days
// than before only after a grace.
import * as z from 'zod'
import { PLAN_FACTS } from '../limits/plans.ts'
import { entity, spaceKey } from '../table/entity.ts'
import { spaceMembers } from '../table/members.ts'
import type { Space } from '../context.ts'
import { hasFeature } from './features.ts'
import type { Tenant } from './tenant.ts'

/** `grace`: until then (ISO) the longer time before it is kept to. */
export const RetentionStatement = z.object({
  days: z.int(),
  grace: z.object({ days: z.int(), until: z.string() }).optional(),
})
export type RetentionStatement = z.output<typeof RetentionStatement>

/** Where the removal of payloads of a space stands. */
export const Retention = z.object({
  ...spaceMembers,
  ...RetentionStatement.shape,
  /** Of the statement. What is removed follows from it, and not from this item. */
  artifact_id: z.string(),
  /** The month (`yyyy-mm`) that is read, and of each part of its list the last execution that was. */
  month: z.string(),
  after: z.array(z.string()),
  /** Executions that were read too early, and when (ISO) to look again. */
  waiting: z.array(z.object({ id: z.string(), at: z.string() })),
  next_at: z.string(),
})
export type Retention = z.output<typeof Retention>

export const retentions = entity({
  name: 'RETENTION',
  unbound: 'proven by artifacts',
  schema: Retention,
  key: (of: Space) => ({ pk: spaceKey(of, 'RETENTION'), sk: 'RETENTION' }),
})

/** Days that follow from the plan, or from the setting where the plan has it. */
export function retentionDays({ plan, settings }: Pick<Tenant, 'plan' | 'settings'>): number {
  const own = hasFeature({ plan }, 'evidence_retention') ? settings.evidence_retention_days : null
  return own ?? PLAN_FACTS[plan].quotas.evidence_retention_days
}

/** Whether a grace runs at an instant (ms). */
export const inGrace = ({ grace }: RetentionStatement, now: number): boolean =>
  grace !== undefined && Date.parse(grace.until) > now

/** Days that are kept to at an instant (ms). */
export const daysInEffect = (stated: RetentionStatement, now: number): number =>
  stated.grace && inGrace(stated, now) ? stated.grace.days : stated.days
