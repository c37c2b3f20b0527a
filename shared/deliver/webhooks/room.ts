// How many endpoints a tenant may have in each mode. Counting and adding are two steps; so whoever adds one also moves an
// item that was read before counting, and of two that add at once the second counts again.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import { entity, spaceKey, type Write } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { type Plan, tenants } from '../../base/tenant/tenant.ts'
import { endpointsKey } from './endpoint.ts'

/** Endpoints that a plan includes, in each mode. */
const ENDPOINTS_MAX: Record<Plan, number> = {
  free: 2,
  team: 10,
  business: 50,
  enterprise: Number.POSITIVE_INFINITY,
}

const TRIES = 10

const rooms = entity({
  name: 'HOOKROOM',
  schema: z.object({ tenant_id: z.string(), mode: z.enum(['live', 'test']) }),
  key: (space: Space) => ({ pk: spaceKey(space, 'HOOKROOM'), sk: 'HOOKROOM' }),
})

/** Commits the writes of one more endpoint. Throws 403 `plan_limit` when the plan has no room for it. */
export async function commitWithRoom(ctx: Context, writes: readonly Write[], ref: string): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const room = await roomForOne(ctx)
    try {
      return await ctx.table.commit([...room, ...writes], ref)
    } catch (error) {
      if (!(error instanceof ConditionFailed) || error.index >= room.length) throw error
    }
  }
  throw conflict('other endpoints are being registered at this moment')
}

async function roomForOne({ table, space }: Context): Promise<Write[]> {
  const [tenant, was] = await Promise.all([table.get(tenants, { id: space.tenant_id }), table.get(rooms, space)])
  const max = ENDPOINTS_MAX[tenant?.plan ?? 'free']
  if (max === Number.POSITIVE_INFINITY) return []
  const { total } = await table.count({ pk: endpointsKey(space) })
  if (total >= max) throw forbidden(`plan limit: ${max} webhook endpoints`, { code: 'plan_limit' })
  return [was ? rooms.replace(was, was) : rooms.insert(space)]
}
