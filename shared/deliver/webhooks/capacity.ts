// Limits the endpoints of a tenant in each mode.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { retry } from '../../base/kernel/retry.ts'
import { roomForOne } from '../../base/tenant/room.ts'
import { endpointsKey } from './endpoint.ts'

const TRIES = 10

/** Commits the writes of one more endpoint. Throws 403 `plan_limit` when the plan does not allow it. */
export async function commitWithinPlan(ctx: Context, writes: readonly Write[], ref: string): Promise<void> {
  const busy = conflict('Other endpoints are being registered at the moment. Try again.')
  const count = async () => (await ctx.table.count({ pk: endpointsKey(ctx.space) })).total
  await retry(async () => {
    const room = await roomForOne(ctx, { quota: 'webhook_endpoints', count, busy })
    await ctx.table.commit([...room, ...writes], ref)
  }, [{ is: (error) => error === busy, tries: TRIES }])
}
