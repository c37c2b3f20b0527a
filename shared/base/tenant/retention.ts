// What the plan of a tenant allows: how long sealed payloads are kept, which features it has, and how many things of a kind. The days of
// plan and settings apply after the service has stated them in the chain, and fewer days than before only after a grace.
import * as z from 'zod'
import { type Feature, FEATURES, PLAN_FACTS, plansWith, type Quotas, UNLIMITED } from '../limits/plans.ts'
import { entity, spaceKey, type Write } from '../table/entity.ts'
import { spaceMembers } from '../table/members.ts'
import type { Context, Space } from '../context.ts'
import { type Tenant, tenants } from './tenant.ts'
import { type Failure, forbidden } from '../lib/failure.ts'

/** `grace`: until then (ISO) the longer time before it is kept to. */
export const RetentionStatement = z.object({
  days: z.int(),
  grace: z.object({ days: z.int(), until: z.string() }).optional(),
})
export type RetentionStatement = z.output<typeof RetentionStatement>

/** How far the removal of payloads of a space has come. */
export const Retention = z.object({
  ...spaceMembers,
  ...RetentionStatement.shape,
  /** The artifact of the statement. It decides which payloads are removed, and not this item. */
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

export const hasFeature = ({ plan }: Pick<Tenant, 'plan'>, feature: Feature): boolean =>
  PLAN_FACTS[plan].features.includes(feature)

/** Throws 403, which names the plans that include the feature. */
export function mustHaveFeature(tenant: Pick<Tenant, 'plan'>, feature: Feature): void {
  if (hasFeature(tenant, feature)) return
  const plans = plansWith(feature).join(' or ')
  throw forbidden(`Your plan does not include ${FEATURES[feature]}. Change to the plan ${plans}.`, {
    code: 'plan_feature',
  })
}

type Counted = 'webhook_endpoints' | 'connections' | 'users'

const WORDS: Record<Counted, string> = {
  webhook_endpoints: 'webhook endpoints',
  connections: 'connections',
  users: 'people',
}

const rooms = entity({
  name: 'ROOM',
  unbound: 'bounded',
  schema: z.object({ ...spaceMembers, quota: z.string() }),
  key: (of: { tenant_id: string; mode: string; quota: string }) => ({ pk: spaceKey(of, 'ROOM'), sk: of.quota }),
})

export type Addition = { quota: Counted & keyof Quotas; count: () => Promise<number>; busy: Failure }

/**
 * The writes of a commit that adds one. Throws 403 `plan_limit` when the plan has no room for it. Counting and adding are two steps, so
 * every addition also writes an item that was read before the count: of two concurrent additions the commit of the second fails with
 * `busy`, and it counts again.
 */
export async function roomForOne(ctx: Context, { quota, count, busy }: Addition): Promise<Write[]> {
  const [tenant, one] = await Promise.all([
    ctx.table.get(tenants, { id: ctx.space.tenant_id }),
    oneAtATime(ctx, quota, busy),
  ])
  const max = PLAN_FACTS[tenant?.plan ?? 'free'].quotas[quota]
  if (max === UNLIMITED) return []
  if ((await count()) >= max)
    throw forbidden(`Your plan allows ${max} ${WORDS[quota]}. Delete one or change your plan.`, { code: 'plan_limit' })
  return [one]
}

/** Of two commits that hold this write, made before each has counted, one fails with `busy`. */
export async function oneAtATime({ table, space }: Context, quota: string, busy: Failure): Promise<Write> {
  const was = await table.get(rooms, { ...space, quota })
  return was ? rooms.replace(was, was, busy) : rooms.insert({ ...space, quota }, busy)
}
