// Disables an endpoint that has been in error for five days, even when no event was sent to it.
import { systemContext } from '../../../base/context.ts'
import { type Key, spaceOf } from '../../../base/table/entity.ts'
import { endpoints } from './endpoint.ts'
import { commitWithHealth } from '../finish.ts'
import { stillFailing } from './health.ts'

/** Disables an endpoint whose time in error is over. Does nothing to one that has recovered. */
export async function disableFailing({ pk, sk: id }: Key): Promise<void> {
  const space = spaceOf(pk)
  if (!space) return
  const ctx = systemContext(space)
  const endpoint = await ctx.table.get(endpoints, { ...space, id })
  await commitWithHealth(ctx, [], endpoint, stillFailing, {})
}
