// Limits the endpoints of a tenant in each mode. Counting and adding are two steps, so every addition also writes an item that
// was read before the count; of two concurrent additions, the second one counts again.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { conflict, type Failure, forbidden } from '../../base/lib/failure.ts'
import { entity, spaceKey, type Write } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { retryChange } from '../../base/table/retry.ts'
import { PLAN_FACTS, UNLIMITED } from '../../base/limits/plans.ts'
import { tenants } from '../../base/tenant/tenant.ts'
import { endpointsKey } from './endpoint.ts'

const TRIES = 10

const capacities = entity({
  name: 'HOOKROOM',
  schema: z.object(spaceMembers),
  key: (space: Space) => ({ pk: spaceKey(space, 'HOOKROOM'), sk: 'HOOKROOM' }),
})

/** Commits the writes of one more endpoint. Throws 403 `plan_limit` when the plan does not allow it. */
export async function commitWithinPlan(ctx: Context, writes: readonly Write[], ref: string): Promise<void> {
  const busy = conflict('Other endpoints are being registered at the moment. Try again.')
  await retryChange(
    TRIES,
    async () => ctx.table.commit([...(await capacityForOne(ctx, busy)), ...writes], ref),
    (error) => error === busy,
  )
}

/** A concurrent addition makes the commit fail with `busy`. */
async function capacityForOne({ table, space }: Context, busy: Failure): Promise<Write[]> {
  const [tenant, was] = await Promise.all([table.get(tenants, { id: space.tenant_id }), table.get(capacities, space)])
  const max = PLAN_FACTS[tenant?.plan ?? 'free'].quotas.webhook_endpoints
  if (max === UNLIMITED) return []
  const { total } = await table.count({ pk: endpointsKey(space) })
  if (total >= max)
    throw forbidden(`Your plan allows ${max} webhook endpoints. Delete one or change your plan.`, {
      code: 'plan_limit',
    })
  return [was ? capacities.replace(was, was, busy) : capacities.insert(space, busy)]
}
