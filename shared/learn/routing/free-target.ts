import type { Context } from '../../base/context.ts'
import type { Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { type RoutingUpdate, targetOf, updateTargets } from './update.ts'

/** The target of an update that came to nothing takes another one. */
export async function freedTarget(ctx: Context, { id, ...update }: RoutingUpdate): Promise<Write[]> {
  const { table, space } = ctx
  const was = await table.get(updateTargets, { ...space, target: targetOf(update) })
  if (was?.open !== id) return []
  return [updateTargets.replace({ ...was, open: undefined }, was, new Overtaken())]
}
