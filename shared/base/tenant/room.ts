// Holds a tenant to the counts of its plan. Counting and adding are two steps, so every addition also writes an item that was read
// before the count; of two concurrent additions, the second one counts again.
import * as z from 'zod'
import type { Context } from '../context.ts'
import { PLAN_FACTS, type Quotas, UNLIMITED } from '../limits/plans.ts'
import { type Failure, forbidden } from '../lib/failure.ts'
import { entity, spaceKey, type Write } from '../table/entity.ts'
import { spaceMembers } from '../table/members.ts'
import { tenants } from './tenant.ts'

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
 * The writes of a commit that adds one. Throws 403 `plan_limit` when the plan has no room for it; a concurrent addition makes the
 * commit fail with `busy`.
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
